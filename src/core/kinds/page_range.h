// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kinds of consecutive page frames.
 *
 * The kind of a frame depends only on the memory map, never on where a range begins or ends: any
 * number of threads may each take ranges of any size, in any order (doc/pages.md).
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_RANGE_H
#define NSPLIT_CORE_KINDS_PAGE_RANGE_H

#include "core/kinds/page_kind.h"
#include "core/kinds/page_map.h"

/*
 * Counters that are collected while pages are classified; page_trust.h judges the classification by them.
 * Each thread has its own; they are merged at the end.
 */

/* A zone has one for each migratetype, of which there are up to six: those of 680 zones.  32 KiB. */
enum { PAGE_ANCHORS_MAX = 1 << 12 };

/* Cases that were looked at, and how many of them were wrong. */
struct page_tally {
	uint64_t all, wrong;
};

/* All zero at first.  page_evidence_free() must be called in any case. */
struct page_evidence {
	uint64_t blocks[PAGE_ORDERS_MAX];	/* free blocks, by order */
	/*
	 * The heads of the kernel's lists of free blocks, which are in struct zone; the first and the last
	 * block of a list point to its head.  Normalized to order 0 by subtracting the order times
	 * SIZE(free_area); sorted, unique.
	 */
	uint64_t *anchors;			/* owned */
	size_t anchors_count;
	bool anchors_lost;			/* too many, or out of memory */
	uint64_t poisoned;			/* struct pages with the flag */
	uint64_t parts_with_slabs;		/* of the map, as they were surveyed */
	struct page_tally marks;		/* of free blocks; wrong: no block can begin there */
	struct page_tally own;			/* pages of the map; wrong: of a class of pages */
	struct page_tally heads;		/* of pages of several frames; wrong: no tail follows */
	struct page_tally tails;		/* of one head; wrong: it does not say that it has them */
	/* Mappings of some pages of files, and of some anonymous ones; wrong: not where they belong. */
	struct page_tally file_mappings, anonymous_mappings;
};

void page_evidence_free(struct page_evidence *ev);

/* Adds what another thread has found; in any order. */
void page_evidence_merge(struct page_evidence *ev, const struct page_evidence *other);

/* A free block: its first struct page, and the address of it in the kernel. */
void page_evidence_block(struct page_evidence *ev, const struct page_map *map, const uint8_t *page,
			 unsigned order);

/*
 * Looks at the mappings of the first page of a file and of the first anonymous page among these.
 * They lead to kernel objects: of slabs, mostly.  The cursor's window may move.  Only failures that end
 * the whole operation are returned.
 */
enum status page_evidence_sample(struct page_evidence *ev, struct page_cursor *c, uint64_t pfn,
				 size_t count, const uint8_t *kinds, struct error *e);

/*
 * Finds the kinds of count frames, as enum page_kind.  Only a failure that ends the whole operation
 * is returned; what cannot be read is PAGE_UNKNOWN.  Nothing is allocated but for evidence, to which
 * what is noticed is added: of ranges that together are the whole map, each fact once.
 */
enum status page_range_survey(struct page_cursor *c, uint64_t pfn, size_t count, uint8_t *kinds,
			      struct page_evidence *evidence, struct error *e);

/* The same, without evidence. */
enum status page_range_kinds(struct page_cursor *c, uint64_t pfn, size_t count, uint8_t *kinds,
			     struct error *e);

#endif
