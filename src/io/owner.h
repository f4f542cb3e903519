// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whose an output is.  Whoever owns a file or a pipe can read what is written to it, so one that
 * was put in our way, with the name that a dump will have, would give a core away.
 */
#ifndef NSPLIT_IO_OWNER_H
#define NSPLIT_IO_OWNER_H

#include <sys/stat.h>

#include "base/error.h"

/*
 * STATUS_USAGE: a file, a named pipe or a symbolic link of another user than the effective one or
 * root.  Devices are not looked at: only root makes them.
 */
enum status owner_refuse(const struct stat *st, const char *name, struct error *e);

/* The same for what the name is, a link, and for what it leads to, if that exists. */
enum status owner_refuse_name(const char *name, struct error *e);

#endif
