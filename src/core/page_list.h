// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of page ranges; for pages_find.c only. */
#ifndef NSPLIT_CORE_PAGE_LIST_H
#define NSPLIT_CORE_PAGE_LIST_H

#include "core/pages.h"

/* All zero when empty. */
struct page_list {
	struct page_range *ranges;	/* owned */
	size_t count;
};

/* Appends a range, unless it has no pages; false without memory. */
bool page_list_add(struct page_list *list, struct page_range range);

/* Sorts the ranges by page frame number. */
void page_list_sort(struct page_list *list);

/* Sorts the ranges and removes overlaps: each page stays in the range that begins first. */
void page_list_remove_overlaps(struct page_list *list, uint32_t page_size);

/* Is the page in a sorted list without overlaps? */
bool page_list_has(const struct page_list *list, uint64_t pfn);

#endif
