// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pages of a core: which page frames are memory, which of them are in the core, and where.
 *
 * A page that is in several segments is counted once.  (The kernel image has a segment of its own,
 * and is also in that of the memory around it.)  A page that is not completely in any segment,
 * because segments begin or end within it, is *ragged*: its bytes outside of all segments are
 * zeros.
 *
 * A dump may leave pages out on purpose (pages_leave_out()).  All pages are kept until then.  What
 * writes a dump asks for runs: pages that are kept, and consecutive both in memory and in the
 * source.
 */
#ifndef NSPLIT_CORE_PAGES_H
#define NSPLIT_CORE_PAGES_H

#include "base/array.h"
#include "core/kinds/page_choice.h"
#include "core/memory.h"

/* Pages that are consecutive both in memory and in the source. */
struct page_range {
	uint64_t pfn, count;		/* first, for spans_find() */
	uint64_t offset;	/* of the first one in the source; undefined for a ragged page */
	/* Pages before the first one, by address: all of the core, but in a run those that are kept. */
	uint64_t rank;
	bool ragged;		/* one page, to be read with memory_read_page() */
};

struct pages {
	uint32_t page_size;
	uint64_t end;			/* the highest page frame number, plus 1: max_mapnr */
	uint64_t in_core;		/* pages in the core; some may have been left out of it */
	uint64_t count;			/* those of them that are kept */
	uint64_t lost;			/* pages that would be kept if nothing were missing */
	struct range_list ram;		/* all memory: page frames */
	struct page_range *ranges;	/* the pages in the core, by pfn */
	size_t ranges_count;
	const struct page_range **by_offset;	/* those that are not ragged, by offset */
	size_t by_offset_count;
	/* Pages that would be in the core if nothing were missing, by pfn; without offsets. */
	struct page_range *lost_ranges;
	size_t lost_count;
	struct stored_range *stored;	/* by offset, without overlaps */
	size_t stored_count;
	struct page_choice choice;	/* of pages in the core; all zero: all are kept, unless there are */
	struct page_parts *parts;	/* instead; or NULL; owned */
	struct page_choice lost_choice;	/* of lost pages, likewise */
	/* Of pages in the core: those that the capture did not leave out; all zero: all. */
	struct page_choice captured;
};

/* The parts of the source that are not available. */
struct absent {
	const struct range *missing;	/* sorted: what cannot be read */
	size_t missing_count;
	const struct range *elsewhere;	/* what is in the source twice, and better read from its other place */
	size_t elsewhere_count;
	/*
	 * The next bytes at or after *offset that were left out when the source was captured: sets
	 * *offset and *length.  False: there are none.  NULL: nothing was left out.
	 */
	bool (*next_left_out)(const void *arg, uint64_t *offset, uint64_t *length);
	const void *arg;
};

/*
 * absent may be NULL: all of the source is available.  Pages with missing bytes are lost, unless they are complete in
 * another segment.  A page with bytes that were left out is in the core, and never kept: a capture leaves it out, or
 * none of it, wherever the source has it.  STATUS_DAMAGED: segments at different addresses share bytes of the source.
 * All arrays are owned; pages_free() must be called even after a failure.
 */
enum status pages_find(struct pages *pages, const struct core *core, uint32_t page_size, const struct absent *absent,
		       struct error *e);
void pages_free(struct pages *pages);

/* The index of the first range that ends after a pfn; count if there is none. */
size_t page_ranges_from(const struct page_range *ranges, size_t count, uint64_t pfn);

/* The page frame number of the page of this rank in the core, which must be below pages->in_core. */
uint64_t pages_pfn_in_core(const struct pages *pages, uint64_t rank);

/* --- pages that are kept -------------------------------------------------------------- */

/* The number of pages kept below a pfn. */
uint64_t pages_rank(const struct pages *pages, uint64_t pfn);

/* The run that begins with the page of this rank, which must be below pages->count. */
struct page_range pages_run_of_rank(const struct pages *pages, uint64_t rank);

/* The next run of pages at or after pfn and below end.  False: there is none. */
bool pages_next_run(const struct pages *pages, uint64_t pfn, uint64_t end, struct page_range *run);

/*
 * The next run of pages that begin at or after offset and before end of the source.  Ragged pages
 * are in none.  False: there is none.
 */
bool pages_next_run_in_source(const struct pages *pages, uint64_t offset, uint64_t end,
			      struct page_range *run);

/* --- leaving pages out ---------------------------------------------------------------- */

/*
 * Between these two, no other function is called but pages_leave_out().  Every page that was captured
 * is kept at first, also those that were left out before.  Memory: 34 MiB for 1 TiB of pages of 4 KiB.
 */
enum status pages_leave_out_begin(struct pages *pages, struct error *e);
void pages_leave_out_end(struct pages *pages);

/* Leaves out all frames from pfn to pfn + count - 1.  May be called by any thread. */
void pages_leave_out(struct pages *pages, uint64_t pfn, uint64_t count);

/*
 * Instead of these three, where memory has no room for a bit for each page: the maker knows what is kept, and makes
 * each part once here.  It leaves frames out with the second function, with what it is given.  Missing pages are
 * never left out.
 */
enum status pages_leave_out_by_parts(struct pages *pages, uint64_t part, const struct page_part_maker *maker,
				     struct error *e);
void pages_leave_out_of_part(const struct pages *pages, struct page_choice *choice, uint64_t first, uint64_t pfn,
			     uint64_t count);
/* Is this run in a part that is lost? */
bool pages_run_is_lost(const struct pages *pages, const struct page_range *run);

/* Keeps every page again that was captured. */
enum status pages_keep_all(struct pages *pages, struct error *e);

/*
 * The next bytes of the source, at or after *offset and before end, that belong to no page that is
 * left out: sets *offset to the first, and *length.  False: there are none.
 */
bool pages_next_wanted(const struct pages *pages, uint64_t *offset, uint64_t end, uint64_t *length);

#endif
