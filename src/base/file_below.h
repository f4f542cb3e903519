// SPDX-License-Identifier: GPL-2.0-or-later
/* Small files in a directory, such as those of sysfs and of cgroups. */
#ifndef NSPLIT_BASE_FILE_BELOW_H
#define NSPLIT_BASE_FILE_BELOW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Opens DIRECTORY/NAME for reading.  NULL: it cannot be opened; errno says why. */
FILE *file_below(const char *directory, const char *name);

/* The number that is the first word of such a file.  False: there is none. */
bool file_below_number(const char *directory, const char *name, uint64_t *number);

/* The same of an open file, which it closes; NULL: there is no number. */
bool file_take_number(FILE *file, uint64_t *number);

#endif
