// SPDX-License-Identifier: GPL-2.0-or-later
/* Binary search in any sorted sequence. */
#ifndef NSPLIT_BASE_SEARCH_H
#define NSPLIT_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The index of the first of count items for which before() is false; count if it is true for all.
 * The items for which it is true precede the others.  Inline, so that the compiler can inline
 * before() as well.
 */
static inline size_t search_first(size_t count, bool (*before)(const void *arg, size_t i),
				  const void *arg)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (before(arg, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
