// SPDX-License-Identifier: GPL-2.0-or-later
/* Keeps two processes from writing the same file. */
#ifndef NSPLIT_IO_FILE_LOCK_H
#define NSPLIT_IO_FILE_LOCK_H

#include "base/error.h"

/*
 * Locks a regular file that is open for writing, until the descriptor is closed.  Call it before the
 * file is changed.  STATUS_SYSTEM: another process has the lock.  A file that cannot be locked for
 * any other reason is written without a lock, and the result is STATUS_OK.
 */
enum status file_lock(int fd, const char *name, struct error *e);

#endif
