// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pages of a core: which page frames there are, which of them the core has, and where.
 *
 * A page that several segments hold (the kernel's image lies in one of its own and in that of the
 * memory around it) is counted once.  A page of which no segment has all, since they begin or
 * end within it, is ragged: what none of them has of it is zeros.
 */
#ifndef NSPLIT_CORE_PAGES_H
#define NSPLIT_CORE_PAGES_H

#include "base/range.h"
#include "core/memory.h"

/* Pages one behind the other, in memory and in the source. */
struct page_range {
	uint64_t pfn, count;
	uint64_t offset;	/* of the first one in the source; of a ragged page it means nothing */
	uint64_t rank;		/* how many pages of the core lie before it in memory */
	bool ragged;		/* one page, for memory_read_page() */
};

struct pages {
	uint32_t page_size;
	uint64_t end;			/* of the highest page frame, plus 1: max_mapnr */
	uint64_t count;			/* of pages that the core has */
	uint64_t lost;			/* of pages that it had, were it not for what is missing */
	struct page_range *ram;		/* what is memory, by pfn; only pfn and count mean something */
	size_t ram_count;
	struct page_range *ranges;		/* what the core has, by pfn */
	size_t ranges_count;
	const struct page_range **by_offset;	/* those that are not ragged */
	size_t by_offset_count;
};

/*
 * missing, sorted, is what cannot be read of the source: pages that touch it are left out if no
 * other segment has all of them.  STATUS_DAMAGED: segments at different addresses share
 * bytes of the source.  All arrays are owned; pages_free() is due in any case.
 */
enum status pages_find(struct pages *pages, const struct core *core, uint32_t page_size,
		       const struct range *missing, size_t missing_count, struct error *e);
void pages_free(struct pages *pages);

/* The place of the first of these runs that ends behind a pfn; count: none does. */
size_t page_ranges_from(const struct page_range *ranges, size_t count, uint64_t pfn);
/* How many pages the core has below a pfn. */
uint64_t pages_rank(const struct pages *pages, uint64_t pfn);
/* The run that has the page of this rank, which is below pages->count. */
const struct page_range *pages_of_rank(const struct pages *pages, uint64_t rank);
/* Of those that are not ragged, the place in by_offset of the first that ends behind an offset. */
size_t pages_from_offset(const struct pages *pages, uint64_t offset);

#endif
