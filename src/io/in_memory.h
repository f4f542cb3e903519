// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds outputs in RAM, where a dump is lost when the machine restarts. */
#ifndef NSPLIT_IO_IN_MEMORY_H
#define NSPLIT_IO_IN_MEMORY_H

#include <stdbool.h>
#include <sys/types.h>

enum { IN_MEMORY_LENGTH = 32 };

/*
 * For a file, existing or not.  True: what is "tmpfs", "ramfs", or the device of its file system,
 * such as "zram0".  False: the file is on a disk or another machine, or this cannot be found out.
 */
bool in_memory_file(const char *name, char what[IN_MEMORY_LENGTH]);

/* The same for a block device. */
bool in_memory_device(dev_t device, char what[IN_MEMORY_LENGTH]);

#endif
