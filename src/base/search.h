// SPDX-License-Identifier: GPL-2.0-or-later
/* Binary search in anything that is sorted. */
#ifndef NSPLIT_BASE_SEARCH_H
#define NSPLIT_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The first of count items for which before() is false; count if there is none.  Those for which it
 * is true come before all others.
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
