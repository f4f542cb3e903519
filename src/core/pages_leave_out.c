// SPDX-License-Identifier: GPL-2.0-or-later
/* Leaves pages out of a dump, also those that are missing: they need not be reported. */
#include "config.h"

#include <assert.h>

#include "base/bytes.h"
#include "core/pages_stored.h"

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

static bool is_left_out(const struct pages *p, uint64_t pfn)
{
	return choice_leaves_out(&p->choice, p->ranges, p->ranges_count, pfn) ||
	       choice_leaves_out(&p->lost_choice, p->lost_ranges, p->lost_count, pfn);
}

/* Is the byte at offset in a page that is left out?  The same is true of all bytes up to *next. */
static bool byte_left_out(const struct pages *p, uint64_t offset, uint64_t *next)
{
	size_t i = stored_find_offset(p->stored, p->stored_count, offset);
	const struct stored_range *r = &p->stored[i];
	uint64_t paddr;

	*next = i < p->stored_count ? r->offset : UINT64_MAX;
	if (*next > offset)
		return false;
	paddr = r->paddr + (offset - r->offset);
	*next = offset + min_u64(p->page_size - paddr % p->page_size,
				 r->offset + r->length - offset);
	return is_left_out(p, paddr / p->page_size);
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
