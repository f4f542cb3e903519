// SPDX-License-Identifier: GPL-2.0-or-later
/* Arrays that grow by one item at a time, binary search, and lists of ranges. */
#ifndef NSPLIT_BASE_ARRAY_H
#define NSPLIT_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Makes space for one more item after the count items of an array, each size bytes long.  array is
 * the address of the pointer to the items, which is NULL before the first call; the items are freed
 * with free().  False: out of memory, and the array is unchanged.
 *
 * The capacity is not stored: it is at least ARRAY_LEAST and at least the count rounded up to a
 * power of two, so the array is reallocated only when the count is such a power.  Items may be
 * removed.  An array that was allocated in another way must not be passed.
 */
bool array_grow(void *array, size_t count, size_t size);

enum { ARRAY_LEAST = 16 };

/*
 * Binary search in any sorted sequence: the index of the first of count items for which before() is false; count if
 * it is true for all.  The items for which it is true precede the others.  Inline, so that the compiler can inline
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

/*
 * The index of the first of count items that ends after a value; count if there is none.  Each item has size bytes, and
 * begins with two uint64_t: where it begins, and how long it is.  The items are sorted and do not overlap.
 */
size_t spans_find(const void *items, size_t size, size_t count, uint64_t value);

/*
 * How many of count items, each of size bytes, have a value of at most this one.  values: that of the first item; they
 * ascend.
 */
size_t values_up_to(const uint64_t *values, size_t size, size_t count, uint64_t value);

/* Sorts count items, each of size bytes, by the uint64_t with which they begin. */
void values_sort(void *items, size_t size, size_t count);

/* Consecutive bytes, usually of the source of a capture, or page frames. */
struct range {
	uint64_t offset, length;	/* first, for spans_find() */
};

/* All zero when empty. */
struct range_list {
	struct range *ranges;		/* owned */
	size_t count;
};

/* Appends a range, without merging.  False: out of memory. */
bool range_list_add(struct range_list *list, uint64_t offset, uint64_t length);

/* The same, but a range that begins where the last one ends is joined to it. */
bool range_list_extend(struct range_list *list, uint64_t offset, uint64_t length);

/* Sorts the ranges by offset, and joins those that overlap or touch. */
void range_list_merge(struct range_list *list);

/* The sum of all lengths. */
uint64_t range_list_length(const struct range_list *list);

/* The functions below require ranges that are sorted and do not overlap. */

/* The end of the last range; 0 for an empty list. */
uint64_t range_list_end(const struct range_list *list);

/* The index of the first range that ends after an offset; count if there is none. */
size_t ranges_find(const struct range *ranges, size_t count, uint64_t offset);

/*
 * The first gap of a merged list at or after *offset and before end; false if there is none.  A gap
 * that begins before *offset or continues after end is cut there.
 */
bool range_list_gap(const struct range_list *list, uint64_t *offset, uint64_t end,
		    uint64_t *length);

void range_list_free(struct range_list *list);

#endif
