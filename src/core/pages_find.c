// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the pages of a core. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "core/pages.h"

static enum status no_memory(struct error *e)
{
	return error_system(e, ENOMEM, "list of pages");
}

/* --- pages that were left out when the source was captured ------------------ */

/* Is this the place from which the pages of a range are read? */
static bool is_place(const struct page_range *range, const struct stored_range *r, uint32_t page_size)
{
	/* Both differences wrap around in the same way. */
	return range->ragged ||
	       range->offset - range->pfn * page_size == r->offset - r->paddr;
}

/* Pages of a stored range; those that are read from another place do not count. */
static void leave_out_pages(struct pages *p, const struct stored_range *r, uint64_t pfn, uint64_t end)
{
	size_t i = page_ranges_from(p->ranges, p->ranges_count, pfn);

	for (; i < p->ranges_count && p->ranges[i].pfn < end; i++) {
		const struct page_range *range = &p->ranges[i];
		uint64_t first = max_u64(pfn, range->pfn);
		uint64_t after = min_u64(end, range->pfn + range->count);

		if (is_place(range, r, p->page_size))
			page_choice_leave_out(&p->captured, range->rank + (first - range->pfn),
					      after - first);
	}
}

static void leave_out_bytes(struct pages *p, uint64_t offset, uint64_t end)
{
	size_t i = spans_find(p->stored, sizeof(*p->stored), p->stored_count, offset);

	for (; i < p->stored_count && p->stored[i].offset < end; i++) {
		const struct stored_range *r = &p->stored[i];
		uint64_t from = max_u64(offset, r->offset) - r->offset;
		uint64_t to = min_u64(end - r->offset, r->length);

		leave_out_pages(p, r, (r->paddr + from) / p->page_size,
				divide_up(r->paddr + to, p->page_size));
	}
}

/* Leaves out all pages with bytes that were left out, after the pages were found. */
static enum status absent_leave_out(struct pages *p, const struct absent *absent, struct error *e)
{
	uint64_t offset = 0, length;
	enum status status;

	if (!absent->next_left_out || !absent->next_left_out(absent->arg, &offset, &length))
		return STATUS_OK;
	status = page_choice_begin(&p->captured, p->in_core, e);
	if (status)
		return status;
	do
		leave_out_bytes(p, offset, offset + length);
	while ((offset += length, absent->next_left_out(absent->arg, &offset, &length)));
	page_choice_end(&p->captured);
	return pages_keep_all(p, e);
}

/* --- lists of page ranges ---------------------------------------------------- */

/* All zero when empty. */
struct page_list {
	struct page_range *ranges;	/* owned */
	size_t count;
};

/* Appends a range, unless it has no pages. */
static enum status add(struct page_list *list, struct page_range range, struct error *e)
{
	if (!range.count)
		return STATUS_OK;
	if (!array_grow(&list->ranges, list->count, sizeof(*list->ranges)))
		return no_memory(e);
	list->ranges[list->count++] = range;
	return STATUS_OK;
}

/* Sorts the ranges and removes overlaps: each page stays in the range that begins first. */
static void page_list_remove_overlaps(struct page_list *list, uint32_t page_size)
{
	uint64_t covered = 0;
	size_t kept = 0;

	values_sort(list->ranges, sizeof(*list->ranges), list->count);
	for (size_t i = 0; i < list->count; i++) {
		struct page_range r = list->ranges[i];
		uint64_t skipped = covered > r.pfn ? covered - r.pfn : 0;

		if (skipped >= r.count)
			continue;
		r.pfn += skipped;
		r.count -= skipped;
		r.offset += skipped * page_size;
		covered = r.pfn + r.count;
		list->ranges[kept++] = r;
	}
	list->count = kept;
}

/* Is the page in a sorted list without overlaps? */
static bool page_list_has(const struct page_list *list, uint64_t pfn)
{
	size_t i = page_ranges_from(list->ranges, list->count, pfn);

	return i < list->count && list->ranges[i].pfn <= pfn;
}

/* ------------------------------------------------------------------------------ */

struct search {
	uint32_t page_size;
	uint64_t source_size;
	struct stored_range *stored;	/* by offset, without overlaps; owned */
	size_t stored_count;
	struct page_list whole;		/* pages that a stored range has completely */
	struct page_list ragged;	/* pages that begin or end outside of a stored range */
	struct page_list spoiled;	/* pages that have missing bytes in a stored range */
};

/* --- which page frames are memory ------------------------------------------- */

static enum status find_ram(struct range_list *frames, const struct core *core, uint32_t size, struct error *e)
{
	for (const struct segment *s = core->segments; s < core->segments + core->segments_count; s++) {
		uint64_t first = s->paddr / size;

		if (!range_list_add(frames, first, divide_up(s->paddr + s->memsz, size) - first))
			return no_memory(e);
	}
	range_list_merge(frames);
	return STATUS_OK;
}

/* --- which pages are in the source -------------------------------------------- */

static enum status add_ragged(struct search *s, uint64_t pfn, struct error *e)
{
	return add(&s->ragged, (struct page_range){ .pfn = pfn, .count = 1, .ragged = true }, e);
}

/* The bytes of a stored range between two positions in it are available. */
static enum status add_available(struct search *s, const struct stored_range *r, uint64_t from,
				 uint64_t to, struct error *e)
{
	uint64_t size = s->page_size;
	uint64_t first = divide_up(r->paddr + from, size), end = (r->paddr + to) / size;
	enum status status = STATUS_OK;

	if (first < end)
		status = add(&s->whole, (struct page_range){
			.pfn = first,
			.count = end - first,
			.offset = r->offset + (first * size - r->paddr),
		}, e);
	/* Pages that are incomplete because bytes are missing are not ragged, but spoiled. */
	if (!status && from == 0 && r->paddr % size)
		status = add_ragged(s, r->paddr / size, e);
	if (!status && to == r->length && (r->paddr + to) % size)
		status = add_ragged(s, end, e);
	return status;
}

static enum status add_missing(struct search *s, const struct stored_range *r, uint64_t from,
			       uint64_t to, struct error *e)
{
	uint64_t first = (r->paddr + from) / s->page_size;

	return add(&s->spoiled, (struct page_range){
		.pfn = first,
		.count = divide_up(r->paddr + to, s->page_size) - first,
	}, e);
}

/* Adds the parts of a stored range before, between and after what is missing in it. */
static enum status add_stored(struct search *s, const struct stored_range *r,
			      const struct range *missing, size_t count, struct error *e)
{
	size_t i = ranges_find(missing, count, r->offset);
	uint64_t from = 0, length = r->length;
	enum status status = STATUS_OK;

	if (s->source_size - min_u64(s->source_size, r->offset) < length) {
		length = s->source_size - min_u64(s->source_size, r->offset);
		status = add_missing(s, r, length, r->length, e);
	}
	for (; !status && i < count && missing[i].offset < r->offset + length; i++) {
		uint64_t gap = max_u64(missing[i].offset, r->offset) - r->offset;
		uint64_t end = min_u64(missing[i].offset + missing[i].length - r->offset, length);

		if (gap > from)
			status = add_available(s, r, from, gap, e);
		if (!status)
			status = add_missing(s, r, gap, end, e);
		from = end;
	}
	if (!status && from < length)
		status = add_available(s, r, from, length, e);
	return status;
}

/*
 * Adds the ragged pages that are not whole in another stored range and of which nothing is missing.
 */
static enum status add_ragged_pages(struct search *s, struct error *e)
{
	size_t whole_count = s->whole.count;	/* only these are sorted */
	enum status status = STATUS_OK;

	page_list_remove_overlaps(&s->ragged, s->page_size);
	page_list_remove_overlaps(&s->spoiled, s->page_size);
	for (size_t i = 0; i < s->ragged.count && !status; i++) {
		struct page_list whole = { .ranges = s->whole.ranges, .count = whole_count };
		struct page_range r = s->ragged.ranges[i];

		if (!page_list_has(&whole, r.pfn) && !page_list_has(&s->spoiled, r.pfn))
			status = add(&s->whole, r, e);
	}
	values_sort(s->whole.ranges, sizeof(*s->whole.ranges), s->whole.count);
	return status;
}

/* Sets the rank of each range; returns the number of pages. */
static uint64_t set_ranks(struct page_list *list)
{
	uint64_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		list->ranges[i].rank = count;
		count += list->ranges[i].count;
	}
	return count;
}

static enum status find_pages(struct pages *pages, const struct core *core, uint64_t source_size,
			      const struct range *missing, size_t missing_count, struct error *e)
{
	struct search s = { .page_size = pages->page_size, .source_size = source_size };
	enum status status = core_stored(core, false, &s.stored, &s.stored_count, e);

	for (size_t i = 0; i < s.stored_count && !status; i++)
		status = add_stored(&s, &s.stored[i], missing, missing_count, e);
	page_list_remove_overlaps(&s.whole, s.page_size);
	if (!status)
		status = add_ragged_pages(&s, e);
	pages->in_core = pages->count = set_ranks(&s.whole);
	pages->ranges = s.whole.ranges;
	pages->ranges_count = s.whole.count;
	pages->stored = s.stored;
	pages->stored_count = s.stored_count;
	free(s.ragged.ranges);
	free(s.spoiled.ranges);
	return status;
}

static int by_offset(const void *a, const void *b)
{
	const struct page_range *x = *(const struct page_range *const *)a;
	const struct page_range *y = *(const struct page_range *const *)b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static enum status index_offsets(struct pages *pages, struct error *e)
{
	pages->by_offset = calloc(pages->ranges_count + 1, sizeof(*pages->by_offset));
	if (!pages->by_offset)
		return no_memory(e);
	for (size_t i = 0; i < pages->ranges_count; i++)
		if (!pages->ranges[i].ragged)
			pages->by_offset[pages->by_offset_count++] = &pages->ranges[i];
	qsort(pages->by_offset, pages->by_offset_count, sizeof(*pages->by_offset), by_offset);
	return STATUS_OK;
}

/* Adds the pages of a range that are not in the core. */
static enum status add_lost(struct page_list *lost, const struct pages *pages,
			    const struct page_range *range, struct error *e)
{
	uint64_t pfn = range->pfn, end = pfn + range->count;
	size_t i = page_ranges_from(pages->ranges, pages->ranges_count, pfn);
	enum status status = STATUS_OK;

	for (; i < pages->ranges_count && pages->ranges[i].pfn < end && !status; i++) {
		const struct page_range *next = &pages->ranges[i];

		if (pfn < next->pfn)
			status = add(lost, (struct page_range){ .pfn = pfn, .count = next->pfn - pfn }, e);
		pfn = next->pfn + next->count;
	}
	if (pfn < end && !status)
		status = add(lost, (struct page_range){ .pfn = pfn, .count = end - pfn }, e);
	return status;
}

/* Compares with the pages that there would be if nothing were missing. */
static enum status find_lost(struct pages *pages, const struct core *core, struct error *e)
{
	struct pages whole = { .page_size = pages->page_size };
	enum status status = find_pages(&whole, core, UINT64_MAX, NULL, 0, e);
	struct page_list lost = { 0 };

	if (whole.count != pages->count)
		for (size_t i = 0; i < whole.ranges_count && !status; i++)
			status = add_lost(&lost, pages, &whole.ranges[i], e);
	pages->lost = set_ranks(&lost);
	pages->lost_ranges = lost.ranges;
	pages->lost_count = lost.count;
	pages_free(&whole);
	return status;
}

/* What no page is to be read from, in order and without overlaps.  Call range_list_free() in any case. */
static enum status list_avoided(struct range_list *list, const struct absent *absent, struct error *e)
{
	bool good = true;

	for (size_t i = 0; i < absent->missing_count && good; i++)
		good = range_list_add(list, absent->missing[i].offset, absent->missing[i].length);
	for (size_t i = 0; i < absent->elsewhere_count && good; i++)
		good = range_list_add(list, absent->elsewhere[i].offset, absent->elsewhere[i].length);
	range_list_merge(list);
	return good ? STATUS_OK : no_memory(e);
}

/* pages has only its page_size. */
static enum status find_available(struct pages *pages, const struct core *core, const struct absent *absent, struct error *e)
{
	struct range_list avoided = { 0 };
	enum status status = list_avoided(&avoided, absent, e);

	if (!status)
		status = find_pages(pages, core, core->bytes.size, avoided.ranges, avoided.count, e);
	range_list_free(&avoided);
	return status ? status : find_lost(pages, core, e);
}

enum status pages_find(struct pages *pages, const struct core *core, uint32_t page_size, const struct absent *absent,
		       struct error *e)
{
	struct absent available = absent ? *absent : (struct absent){ .missing = NULL };
	enum status status;

	*pages = (struct pages){ .page_size = page_size };
	status = find_available(pages, core, &available, e);
	/* In a set that no capture makes, the other place may be other memory. */
	if (!status && pages->lost && available.elsewhere_count) {
		pages_free(pages);
		*pages = (struct pages){ .page_size = page_size };
		available.elsewhere_count = 0;
		status = find_available(pages, core, &available, e);
	}
	if (!status)
		status = find_ram(&pages->ram, core, page_size, e);
	if (!status)
		status = index_offsets(pages, e);
	pages->end = range_list_end(&pages->ram);
	return status ? status : absent_leave_out(pages, &available, e);
}
