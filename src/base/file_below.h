// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of the kernel in a directory, such as that of a cgroup.  For files of /proc, the directory is the root directory:
 * "" for this machine, another one for tests.
 */
#ifndef NSPLIT_BASE_FILE_BELOW_H
#define NSPLIT_BASE_FILE_BELOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Opens DIRECTORY/NAME for reading.  NULL: it cannot be opened; errno says why. */
FILE *file_below(const char *directory, const char *name);
/* The same as a descriptor, with flags of open(2) such as O_RDONLY.  -1: it cannot be opened. */
int file_below_open(const char *directory, const char *name, int flags);

/* The number that is the first word of a small file.  False: there is none. */
bool file_below_number(const char *directory, const char *name, uint64_t *number);

/* The same of an open file, which it closes; NULL: there is no number. */
bool file_take_number(FILE *file, uint64_t *number);

#endif
