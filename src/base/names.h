// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of names, and the {A..B} in them.
 *
 * The shell of a capture initramfs (busybox, dash) does not expand braces, so
 * the programs do it.  Only the numeric range is taken, and <A..B> as the same
 * in other brackets; anything else in braces stays as it is, since a file may be named so.
 */
#ifndef NSPLIT_BASE_NAMES_H
#define NSPLIT_BASE_NAMES_H

#include <stddef.h>

#include "base/error.h"

struct names {
	char **names;		/* owned */
	size_t count;
};

/*
 * Appends what pattern expands to: {0..7} counts up or down, {00..07} keeps
 * its zeros, and two ranges give every pair.  More than limit names in all is
 * STATUS_USAGE, before memory is taken for them.
 */
enum status names_expand(struct names *list, const char *pattern, size_t limit,
			 struct error *e);

/* Appends a name as it is. */
enum status names_append(struct names *list, const char *name, size_t limit, struct error *e);

/* Takes one out; those behind it move up. */
void names_remove(struct names *list, size_t number);

void names_free(struct names *list);

#endif
