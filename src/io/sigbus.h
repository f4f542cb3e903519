// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Survives SIGBUS while mapped bytes of the source are read: a poisoned page of /proc/vmcore, or a
 * file that was truncated while it was mapped.
 */
#ifndef NSPLIT_IO_SIGBUS_H
#define NSPLIT_IO_SIGBUS_H

#include <stdbool.h>

#include "base/error.h"

/* Installs the handler for the process; more calls do no harm. */
enum status sigbus_install(struct error *e);

/*
 * Calls work(arg) and returns true, or returns false if a SIGBUS in this thread interrupted it.
 * work is left by siglongjmp(): while it reads mapped bytes, it must hold no lock and own no
 * memory, and the contents of what it was writing are undefined.
 */
bool sigbus_survive(void (*work)(void *arg), void *arg);

#endif
