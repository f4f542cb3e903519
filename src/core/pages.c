// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "core/pages.h"

void pages_free(struct pages *pages)
{
	range_list_free(&pages->ram);
	free(pages->ranges);
	free(pages->by_offset);
	free(pages->lost_ranges);
	free(pages->stored);
	page_choice_free(&pages->choice);
	page_parts_free(pages->parts);
	page_choice_free(&pages->lost_choice);
	page_choice_free(&pages->captured);
	*pages = (struct pages){ 0 };
}

size_t page_ranges_from(const struct page_range *ranges, size_t count, uint64_t pfn)
{
	return spans_find(ranges, sizeof(*ranges), count, pfn);
}

/* The number of pages of sorted ranges below a pfn; their ranks are set. */
static uint64_t page_ranges_rank(const struct page_range *ranges, size_t count, uint64_t pfn)
{
	size_t i = page_ranges_from(ranges, count, pfn);

	if (i < count)
		return ranges[i].rank + (pfn > ranges[i].pfn ? pfn - ranges[i].pfn : 0);
	return count ? ranges[count - 1].rank + ranges[count - 1].count : 0;
}

/* The range with the page of this rank in the core. */
static const struct page_range *range_of_rank(const struct pages *pages, uint64_t rank)
{
	const struct page_range *ranges = pages->ranges;

	return &ranges[values_up_to(&ranges->rank, sizeof(*ranges), pages->ranges_count, rank) - 1];
}

struct sought {
	const struct pages *pages;
	uint64_t value;
};

static bool ends_before_offset(const void *arg, size_t i)
{
	const struct sought *s = arg;
	const struct page_range *range = s->pages->by_offset[i];

	return range->offset + range->count * s->pages->page_size <= s->value;
}

/* --- pages that are kept -------------------------------------------------------------- */

static bool all_are_kept(const struct pages *pages)
{
	return !pages->choice.bits && !pages->parts;
}

/* The number of pages kept among the first ones of the core. */
static uint64_t kept_before(const struct pages *pages, uint64_t rank)
{
	if (all_are_kept(pages))
		return rank;
	return pages->parts ? page_parts_before(pages->parts, rank) : page_choice_before(&pages->choice, rank);
}

/* As page_parts_next(). */
static uint64_t next_kept(const struct pages *pages, uint64_t *rank, uint64_t end, uint64_t *before)
{
	uint64_t count;

	if (pages->parts)
		return page_parts_next(pages->parts, rank, end, before);
	count = all_are_kept(pages) ? end - *rank : page_choice_next(&pages->choice, rank, end);
	*before = kept_before(pages, *rank);
	return count;
}

/* The rank in the core of the page with this number among those kept. */
static uint64_t find_kept(const struct pages *pages, uint64_t n)
{
	if (all_are_kept(pages))
		return n;
	return pages->parts ? page_parts_find(pages->parts, n) : page_choice_find(&pages->choice, n);
}

uint64_t pages_rank(const struct pages *pages, uint64_t pfn)
{
	return kept_before(pages, page_ranges_rank(pages->ranges, pages->ranges_count, pfn));
}

/* The first run of the pages number first to end - 1 of a range. */
static bool run_in_range(const struct pages *pages, const struct page_range *range, uint64_t first,
			 uint64_t end, struct page_range *run)
{
	uint64_t rank = range->rank + first, count, before;

	if (first >= end)
		return false;
	count = next_kept(pages, &rank, range->rank + end, &before);
	first = rank - range->rank;
	*run = (struct page_range){
		.pfn = range->pfn + first,
		.count = count,
		.offset = range->offset + first * pages->page_size,
		.rank = before,
		.ragged = range->ragged,
	};
	return count;
}

struct page_range pages_run_of_rank(const struct pages *pages, uint64_t rank)
{
	uint64_t in_core = find_kept(pages, rank);
	const struct page_range *range = range_of_rank(pages, in_core);
	struct page_range run;

	run_in_range(pages, range, in_core - range->rank, range->count, &run);
	return run;
}

uint64_t pages_pfn_in_core(const struct pages *pages, uint64_t rank)
{
	const struct page_range *range = range_of_rank(pages, rank);

	return range->pfn + (rank - range->rank);
}

bool pages_next_run(const struct pages *pages, uint64_t pfn, uint64_t end, struct page_range *run)
{
	size_t i = page_ranges_from(pages->ranges, pages->ranges_count, pfn);

	for (; i < pages->ranges_count && pages->ranges[i].pfn < end; i++) {
		const struct page_range *range = &pages->ranges[i];
		uint64_t first = max_u64(pfn, range->pfn) - range->pfn;

		if (run_in_range(pages, range, first, min_u64(range->count, end - range->pfn), run))
			return true;
	}
	return false;
}

bool pages_next_run_in_source(const struct pages *pages, uint64_t offset, uint64_t end,
			      struct page_range *run)
{
	const struct sought sought = { .pages = pages, .value = offset };
	size_t i = search_first(pages->by_offset_count, ends_before_offset, &sought);

	for (; i < pages->by_offset_count && pages->by_offset[i]->offset < end; i++) {
		const struct page_range *range = pages->by_offset[i];
		uint64_t before = max_u64(offset, range->offset) - range->offset;
		uint64_t pages_up_to = divide_up(end - range->offset, pages->page_size);

		if (run_in_range(pages, range, divide_up(before, pages->page_size),
				 min_u64(range->count, pages_up_to), run))
			return true;
	}
	return false;
}

/* --- leaving pages out ----------------------------------------------------------------- */

/* Before anything is left out of what was captured; no bits: nothing was left out before, either. */
static enum status begin(struct pages *pages, struct error *e)
{
	page_choice_free(&pages->choice);
	page_parts_free(pages->parts);
	pages->parts = NULL;
	page_choice_free(&pages->lost_choice);
	pages->count = pages->in_core;
	pages->lost = page_ranges_rank(pages->lost_ranges, pages->lost_count, UINT64_MAX);
	return pages->captured.bits ? page_choice_copy(&pages->choice, &pages->captured, e) : STATUS_OK;
}

enum status pages_keep_all(struct pages *pages, struct error *e)
{
	enum status status = begin(pages, e);

	if (!status && pages->choice.bits)
		pages->count = pages->choice.kept;
	return status;
}

enum status pages_leave_out_begin(struct pages *pages, struct error *e)
{
	enum status status = begin(pages, e);

	if (!status && !pages->choice.bits)
		status = page_choice_begin(&pages->choice, pages->in_core, e);
	if (!status)
		status = page_choice_begin(&pages->lost_choice, pages->lost, e);
	return status;
}

/* The choice is of the pages from rank from on. */
static void leave_out(struct page_choice *choice, uint64_t from, const struct page_range *ranges, size_t count,
		      uint64_t pfn, uint64_t end)
{
	size_t i = page_ranges_from(ranges, count, pfn);

	for (; i < count && ranges[i].pfn < end; i++) {
		uint64_t first = ranges[i].rank + (max_u64(pfn, ranges[i].pfn) - ranges[i].pfn);
		uint64_t after = ranges[i].rank + (min_u64(end, ranges[i].pfn + ranges[i].count) - ranges[i].pfn);

		first = max_u64(first, from);
		after = min_u64(after, from + choice->count);
		if (first < after)
			page_choice_leave_out(choice, first - from, after - first);
	}
}

void pages_leave_out_of_part(const struct pages *pages, struct page_choice *choice, uint64_t first, uint64_t pfn,
			     uint64_t count)
{
	leave_out(choice, first, pages->ranges, pages->ranges_count, pfn, pfn + count);
}

void pages_leave_out(struct pages *pages, uint64_t pfn, uint64_t count)
{
	pages_leave_out_of_part(pages, &pages->choice, 0, pfn, count);
	leave_out(&pages->lost_choice, 0, pages->lost_ranges, pages->lost_count, pfn, pfn + count);
}

enum status pages_leave_out_by_parts(struct pages *pages, uint64_t part, const struct page_part_maker *maker,
				     struct error *e)
{
	enum status status = begin(pages, e);

	if (status)
		return status;
	assert(!pages->captured.bits);
	status = page_parts_new(&pages->parts, pages->in_core, part, maker, e);
	if (!status)
		pages->count = page_parts_count(pages->parts);
	return status;
}

bool pages_run_is_lost(const struct pages *pages, const struct page_range *run)
{
	return pages->parts &&
	       page_parts_lost(pages->parts, page_ranges_rank(pages->ranges, pages->ranges_count, run->pfn));
}

void pages_leave_out_end(struct pages *pages)
{
	page_choice_end(&pages->choice);
	page_choice_end(&pages->lost_choice);
	pages->count = pages->choice.kept;
	pages->lost = pages->lost_choice.kept;
}

/* --- bytes of the source --------------------------------------------------------------- */

static bool choice_leaves_out(const struct page_choice *choice, const struct page_range *ranges,
			      size_t count, uint64_t pfn)
{
	size_t i = page_ranges_from(ranges, count, pfn);

	return choice->bits && i < count && ranges[i].pfn <= pfn &&
	       !page_choice_keeps(choice, ranges[i].rank + (pfn - ranges[i].pfn));
}

/* Is the byte at offset in a page that is left out?  The same is true of all bytes up to *next. */
static bool byte_left_out(const struct pages *p, uint64_t offset, uint64_t *next)
{
	size_t i = spans_find(p->stored, sizeof(*p->stored), p->stored_count, offset);
	const struct stored_range *r = &p->stored[i];
	uint64_t paddr, pfn;

	*next = i < p->stored_count ? r->offset : UINT64_MAX;
	if (*next > offset)
		return false;
	paddr = r->paddr + (offset - r->offset);
	*next = offset + min_u64(p->page_size - paddr % p->page_size,
				 r->offset + r->length - offset);
	pfn = paddr / p->page_size;
	return choice_leaves_out(&p->choice, p->ranges, p->ranges_count, pfn) ||
	       choice_leaves_out(&p->lost_choice, p->lost_ranges, p->lost_count, pfn);
}

/* The first byte from here on, before end, that is left out, or is not. */
static uint64_t skip(const struct pages *p, uint64_t offset, uint64_t end, bool left_out)
{
	uint64_t next;

	while (offset < end && byte_left_out(p, offset, &next) == left_out)
		offset = min_u64(end, next);
	return offset;
}

bool pages_next_wanted(const struct pages *p, uint64_t *offset, uint64_t end, uint64_t *length)
{
	*offset = skip(p, *offset, end, true);
	*length = skip(p, *offset, end, false) - *offset;
	return *length;
}
