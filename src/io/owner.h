// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Refuses outputs that belong to other users.  The owner of a file or pipe can read what is written
 * to it, so a user who creates one with the name of a future dump could read the core.
 */
#ifndef NSPLIT_IO_OWNER_H
#define NSPLIT_IO_OWNER_H

#include <sys/stat.h>

#include "base/error.h"

/*
 * STATUS_USAGE: st is a file, named pipe or symbolic link, and belongs to neither the effective
 * user nor root.  Devices are accepted: only root can create them.
 */
enum status owner_refuse(const struct stat *st, const char *name, struct error *e);

/* The same for a name: checks both a symbolic link and its target, if they exist. */
enum status owner_refuse_name(const char *name, struct error *e);

#endif
