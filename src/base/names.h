// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of names, and patterns such as disk{0..7} that expand to several names (names.c says which).
 *
 * The shells of a capture initramfs (busybox, dash) do not expand braces, so the programs do.
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
 * Appends the names that a pattern expands to; several braces give all combinations.  STATUS_USAGE:
 * the braces are not valid or too many, a name would be empty, or the list would exceed limit names; no
 * memory is allocated for more.  A command, which begins with "|", may have braces for its shell: only ranges of
 * numbers are expanded.
 */
enum status names_expand(struct names *list, const char *pattern, size_t limit, struct error *e);

/* Appends a copy of a name, without expansion. */
enum status names_append(struct names *list, const char *name, size_t limit, struct error *e);

/* Removes and frees a name; those after it move up. */
void names_remove(struct names *list, size_t number);

void names_free(struct names *list);

/* STATUS_USAGE, with the text for two operands, of these names, that are the same file or command. */
enum status names_refuse_repeated(const char *name, const char *before, struct error *e);

#endif
