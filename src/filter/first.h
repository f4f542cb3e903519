// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What says why the kernel has crashed, found before the capture from the headers of the source: CLASS_FIRST.
 *
 * Urgent is what njoin --dmesg reads: headers and notes, the kernel's log, and the page tables that lead there.  Then
 * come the stacks that the registers of the CPUs point into, and what the kernel can write of its image.
 *
 * Time and number are limited, whatever the source contains.  What cannot be read, or is not to be read, is not in it.
 */
#ifndef NSPLIT_FILTER_FIRST_H
#define NSPLIT_FILTER_FIRST_H

#include "base/array.h"
#include "base/runs.h"
#include "core/kinds/page_map.h"
#include "filter/places.h"

/* Whole granules of whole page frames, in the first place of memory that is in the source twice. */
struct first {
	struct range_list list;		/* the urgent ones, and then the others; both by offset, without overlaps */
	size_t urgent;
};

/* Finds what it can; list is empty at first, and to be freed.  virt reads. */
void first_find(struct first *first, const struct page_map *map, const struct virt *virt, const struct places *places);

/* The granules that are in it, of those from offset to end - 1, become CLASS_FIRST unless they are not to be read. */
void first_mark(const struct first *first, uint64_t offset, uint64_t end, struct runs *classes);

/* Has it any byte from offset to end - 1? */
bool first_has(const struct first *first, uint64_t offset, uint64_t end);

#endif
