// SPDX-License-Identifier: GPL-2.0-or-later
/* Ranges of consecutive bytes, usually of the source of a capture, or of page frames; lists of them. */
#ifndef NSPLIT_BASE_RANGE_H
#define NSPLIT_BASE_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t offset, length;
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

/* Sorts the ranges by offset. */
void range_list_sort(struct range_list *list);

/* Joins ranges of a sorted list that overlap or touch. */
void range_list_merge(struct range_list *list);

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
