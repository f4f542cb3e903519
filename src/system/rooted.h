// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of the machine, below a directory in place of its root: "" for this machine, another one for
 * tests and for an image that is not booted.  Symbolic links are followed as they would be if that
 * directory were the root, so that an absolute one leads to a file below it, too.
 */
#ifndef NSPLIT_SYSTEM_ROOTED_H
#define NSPLIT_SYSTEM_ROOTED_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The file that an absolute name leads to, and its name below the root, where all symbolic links are
 * resolved.  False: it does not exist, or the names do not fit.
 */
struct rooted {
	char path[PATH_MAX];	/* to open it */
	char name[PATH_MAX];	/* as it is called there */
};

bool rooted_find(const char *root, const char *name, struct rooted *found);

bool rooted_exists(const char *root, const char *name);

/* NULL: cannot be opened. */
FILE *rooted_open(const char *root, const char *name);

/* The first line, without its newline, cut to the size.  False: cannot be read, or is empty. */
bool rooted_line(const char *root, const char *name, char *line, int size);

/* A number in decimal digits.  False: there is none. */
bool rooted_number(const char *root, const char *name, uint64_t *number);

#endif
