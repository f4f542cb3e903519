// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The braces in a pattern for names, as in bash.
 *	{A,B,...}	each of these texts, which may be empty or have braces themselves
 *	{A..B}		each number from A to B, up or down; leading zeros of A or B pad all; unlike
 *			in bash, without a sign or step, and with at most 9 digits
 *	{a..b}		each letter, if both are capitals or both are not
 *	<A..B>		each number
 * A backslash before { } , or < makes it part of the name; any other backslash is a character like
 * any other.  Unlike in bash, braces that are none of these are refused: such a name is almost
 * always a mistake, and all the data would go to one file.
 *
 * BRACES_NUMBERS: only ranges of numbers are looked for, no backslash is special, and nothing is
 * refused.
 */
#ifndef NSPLIT_BASE_BRACES_H
#define NSPLIT_BASE_BRACES_H

#include <stdbool.h>

#include "base/error.h"

enum braces_style {
	BRACES_ALL,
	BRACES_NUMBERS,
};

struct braces {
	const char *pattern;
	const char *begin, *end;	/* in the pattern; end is after the last character */
	enum { BRACES_LIST, BRACES_RANGE, BRACES_LETTERS } kind;
	long first, last;		/* of a range; letters as characters */
	int width;			/* digits to pad to; 0: no padding */
	/* The next item: a text of the list, or a number of the range. */
	const char *text;		/* NULL: no more */
	long number;
};

/* Finds the first braces in a pattern.  begin is NULL if there are none. */
enum status braces_find(struct braces *b, const char *pattern, enum braces_style style,
			struct error *e);

/*
 * The pattern with the next alternative in place of the braces, allocated.  Further braces are left
 * in it.  False: there are no more; *name is NULL if there is no memory.
 */
bool braces_next(struct braces *b, char **name);

/* Removes the backslashes that made characters part of the name. */
void braces_unescape(char *name);

#endif
