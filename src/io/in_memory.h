// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether an output lies in memory, so that a dump there is lost when the machine restarts. */
#ifndef NSPLIT_IO_IN_MEMORY_H
#define NSPLIT_IO_IN_MEMORY_H

#include <stdbool.h>
#include <sys/types.h>

enum { IN_MEMORY_LENGTH = 32 };

/*
 * A file of this name, there or not: what is its file system, or the device below that?  "tmpfs",
 * "ramfs", "zram0".  False: it is on a disk or another machine, or that cannot be found out.
 */
bool in_memory_file(const char *name, char what[IN_MEMORY_LENGTH]);

/* The same for a block device. */
bool in_memory_device(dev_t device, char what[IN_MEMORY_LENGTH]);

#endif
