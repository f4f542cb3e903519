// SPDX-License-Identifier: GPL-2.0-or-later
/* What the programs ask of the system: CPUs, random bytes, the lowest priority, small files of the kernel. */
#ifndef NSPLIT_BASE_SYSTEM_H
#define NSPLIT_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* The number of CPUs that this process may use; at least 1. */
unsigned cpus_allowed(void);

/*
 * Random bytes without waiting for entropy: a capture kernel has just booted.  For identifiers, not
 * for keys.
 */
enum status random_bytes(void *bytes, size_t len, struct error *e);

/*
 * From now on, this thread, and the processes and threads that it makes, have the lowest priority for
 * the CPU and for disks.  What the system refuses is left as it is: it is a courtesy to others.
 */
void background_enter(void);

/*
 * Files of the kernel in a directory, such as that of a cgroup.  For files of /proc, the directory is the root directory:
 * "" for this machine, another one for tests.
 */

/* Opens DIRECTORY/NAME for reading.  NULL: it cannot be opened; errno says why. */
FILE *file_below(const char *directory, const char *name);
/* The same as a descriptor.  -1: it cannot be opened. */
int file_below_open(const char *directory, const char *name);

/* The number that is the first word of a small file.  False: there is none. */
bool file_below_number(const char *directory, const char *name, uint64_t *number);

#endif
