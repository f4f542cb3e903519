// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pages of a core: which page frames are memory, which of them are in the core, and where.
 *
 * A page that is in several segments is counted once.  (The kernel image has a segment of its own,
 * and is also in that of the memory around it.)  A page that is not completely in any segment,
 * because segments begin or end within it, is *ragged*: its bytes outside of all segments are
 * zeros.
 */
#ifndef NSPLIT_CORE_PAGES_H
#define NSPLIT_CORE_PAGES_H

#include "base/range.h"
#include "core/memory.h"

/* Pages that are consecutive both in memory and in the source. */
struct page_range {
	uint64_t pfn, count;
	uint64_t offset;	/* of the first one in the source; undefined for a ragged page */
	uint64_t rank;		/* pages of the core before the first one, by address */
	bool ragged;		/* one page, to be read with memory_read_page() */
};

struct pages {
	uint32_t page_size;
	uint64_t end;			/* the highest page frame number, plus 1: max_mapnr */
	uint64_t count;			/* pages in the core */
	uint64_t lost;			/* pages that would be in it if nothing were missing */
	struct page_range *ram;		/* all memory, by pfn; only pfn and count are valid */
	size_t ram_count;
	struct page_range *ranges;	/* the pages in the core, by pfn */
	size_t ranges_count;
	const struct page_range **by_offset;	/* those that are not ragged, by offset */
	size_t by_offset_count;
};

/*
 * missing, sorted, are the ranges of the source that cannot be read.  Pages with bytes in them are
 * left out, unless they are complete in another segment.  STATUS_DAMAGED: segments at different
 * addresses share bytes of the source.  All arrays are owned; pages_free() must be called even
 * after a failure.
 */
enum status pages_find(struct pages *pages, const struct core *core, uint32_t page_size,
		       const struct range *missing, size_t missing_count, struct error *e);
void pages_free(struct pages *pages);

/* The index of the first range that ends after a pfn; count if there is none. */
size_t page_ranges_from(const struct page_range *ranges, size_t count, uint64_t pfn);
/* The number of pages in the core below a pfn. */
uint64_t pages_rank(const struct pages *pages, uint64_t pfn);
/* The range with the page of this rank, which must be below pages->count. */
const struct page_range *pages_of_rank(const struct pages *pages, uint64_t rank);
/* The index in by_offset of the first range that ends after an offset. */
size_t pages_from_offset(const struct pages *pages, uint64_t offset);

#endif
