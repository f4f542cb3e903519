// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kind of a page: a pure function of its struct page, or of that of its head (doc/pages.md).
 * Pages that are not positively known to be of another kind belong to the kernel.
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_KIND_H
#define NSPLIT_CORE_KINDS_PAGE_KIND_H

#include "base/bytes.h"
#include "core/kinds/page_map.h"

enum page_kind {
	/* The kernel's, from here */
	PAGE_UNKNOWN,			/* its struct page does not exist, or cannot be read */
	PAGE_OTHER,			/* none of the others */
	PAGE_IMAGE,			/* of the kernel image */
	PAGE_MAP,			/* of the memory map */
	PAGE_RESERVED,
	PAGE_SLAB,
	PAGE_KMALLOC,			/* large allocations of kmalloc() */
	PAGE_TABLE,			/* page tables that have a page type */
	PAGE_TYPED,			/* other page types */
	/* to here. */
	PAGE_CACHE_PRIVATE,		/* of a file, and its file system holds data for it */
	PAGE_CACHE_DIRTY,
	PAGE_CACHE_CLEAN,
	PAGE_ANONYMOUS,
	PAGE_HUGETLB,
	PAGE_CPU_FREE,			/* in a list of a CPU */
	PAGE_FREE,
	PAGE_UNACCEPTED,		/* a confidential machine has not accepted it yet */
	PAGE_OFFLINE,			/* taken away by the hypervisor */
	PAGE_POISONED,			/* a memory error */
	PAGE_KINDS
};

/*
 * These have a struct page as it is in memory, keys->size bytes.  Those that are needed for every
 * page are inline, since a large machine has 2^28 of them.
 */

static inline uint64_t page_flags(const uint8_t *page)
{
	return get_le64(page);
}

/* The kernel fills a struct page with ones until it initialises it. */
static inline bool page_is_initialised(const uint8_t *page)
{
	return page_flags(page) != UINT64_MAX;
}

/* The memory error is the page's own, also in a page of several frames. */
static inline bool page_is_poisoned(const struct page_keys *keys, const uint8_t *page)
{
	return page_flags(page) & keys->flag_poisoned && page_is_initialised(page);
}

/* The kernel's, whatever else it seems to be: such as one of the kernel image. */
static inline bool page_is_reserved(const struct page_keys *keys, const uint8_t *page)
{
	return page_flags(page) & keys->flag_reserved && page_is_initialised(page);
}

/* Is it one of several frames, and not the first? */
static inline bool page_is_tail(const struct page_keys *keys, const uint8_t *page)
{
	return page_test_made(keys, PAGE_TEST_TAIL) && get_le64(page + keys->compound) & 1;
}

/* Is it the first of several frames? */
static inline bool page_has_next(const struct page_keys *keys, const uint8_t *page)
{
	return (page_flags(page) & keys->flag_head) != 0;
}

/* Its page type, if it has one. */
static inline uint32_t page_type(const struct page_keys *keys, const uint8_t *page)
{
	return get_le32(page + keys->mapcount) & keys->type_mask;
}

/*
 * Finds the first frame of a tail.  address is that of the tail's struct page, in the kernel.  Tails
 * with the same word, up to reach frames after the head, have the same head.  False: it is not one
 * that a frame of this number can have.
 */
bool page_head(const struct page_keys *keys, const uint8_t *tail, uint64_t pfn, uint64_t address,
	       uint64_t *head, uint64_t *reach);

/* What page_begins_block() does after it has looked at the page type. */
bool page_finds_block(const struct page_keys *keys, const uint8_t *page, uint64_t pfn,
		      unsigned *order, enum page_kind *kind);

/* Is it the first of a block of 2^order pages, all of the same kind: free or unaccepted? */
static inline bool page_begins_block(const struct page_keys *keys, const uint8_t *page,
				     uint64_t pfn, unsigned *order, enum page_kind *kind)
{
	uint32_t type = page_type(keys, page);

	return (type == keys->type_buddy || type == keys->type_unaccepted) &&
	       page_finds_block(keys, page, pfn, order, kind);
}

/* Can it be in a block that begins before it?  In free pages, only references are cleared. */
static inline bool page_may_continue_block(const struct page_keys *keys, const uint8_t *page)
{
	return !get_le32(page + keys->refcount) && page_type(keys, page) != keys->type_buddy;
}

/*
 * The kind of a page that is no tail.  next is the struct page after it, or NULL if it cannot be
 * read; it is used only for a page with page_has_next().
 */
enum page_kind page_kind_of(const struct page_keys *keys, const uint8_t *page, const uint8_t *next);

/*
 * The kind of all tails of this head, up to *frames frames after it.  Those beyond are PAGE_OTHER.
 */
enum page_kind page_kind_of_tails(const struct page_keys *keys, const uint8_t *head,
				  const uint8_t *next, uint64_t *frames);

/*
 * The kinds of consecutive page frames.
 *
 * The kind of a frame depends only on the memory map, never on where a range begins or ends: any
 * number of threads may each take ranges of any size, in any order (doc/pages.md).
 */

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
	uint64_t marked[2];			/* offline pages; struct pages with the flag of poisoned ones */
	uint64_t parts_with_slabs;		/* of the map, as they were surveyed */
	struct page_tally marks;		/* of free blocks; wrong: no block can begin there */
	struct page_tally own;			/* pages of the map; wrong: of a class of pages */
	uint64_t own_marked[2];			/* of these, by their own struct pages: offline, poisoned */
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
 * Finds the kinds of count frames, as enum page_kind.  Only a failure that ends the whole operation
 * is returned; what cannot be read is PAGE_UNKNOWN.  Nothing is allocated.
 */
enum status page_range_kinds(struct page_cursor *c, uint64_t pfn, size_t count, uint8_t *kinds,
			     struct error *e);

/*
 * The same, and adds what is noticed to evidence, unless it is NULL: of ranges that together are the whole map, each fact
 * once.  sampled: also looks at the mappings of the first page of a file and of the first anonymous one, which lead to
 * kernel objects: of slabs, mostly.
 */
enum status page_survey_part(struct page_cursor *c, uint64_t pfn, size_t count, bool sampled,
			     uint8_t *kinds, struct page_evidence *evidence, struct error *e);

#endif
