// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "export/kdump_split.h"

/*
 * Adds up the sizes of the pages in the order of their page frames: once for the total, and once to
 * find where each part has its share.
 */
struct sum {
	const struct pages *pages;
	const struct set *set;
	struct kdump_part *parts;
	size_t count, next;		/* parts; the first without an end */
	double total, so_far;		/* bytes of members; total is 0 in the first pass */
};

/* Pages first to end take this number of bytes.  Ends the parts whose share is reached in them. */
static void add(struct sum *s, uint64_t first, uint64_t end, double bytes)
{
	while (s->total > 0 && s->next + 1 < s->count) {
		double share = s->total * (double)(s->next + 1) / (double)s->count - s->so_far;

		if (share > bytes)
			break;
		s->parts[s->next++].end = first +
			(uint64_t)(bytes > 0 ? (double)(end - first) * max_double(share, 0) / bytes
					     : 0);
	}
	s->so_far += bytes;
}

/* Adds a run of pages, record by record. */
static void add_run(struct sum *s, const struct page_range *run)
{
	uint64_t size = s->pages->page_size, from = run->offset;
	uint64_t to = from + run->count * size;

	for (size_t i = set_find(s->set, from); i < s->set->locations && from < to; i++) {
		const struct index_entry *entry = &s->set->map[i]->entry;
		uint64_t end = min_u64(to, entry->source_offset + entry->source_length);

		if (s->set->map[i]->follows || end <= from)
			continue;
		from = max_u64(from, entry->source_offset);
		if (from >= end)
			break;
		add(s, run->pfn + (from - run->offset) / size,
		    run->pfn + (end - run->offset) / size, (double)entry->record_length *
		    (double)(end - from) / (double)entry->source_length);
		from = end;
	}
}

static double add_all(struct sum *s)
{
	struct page_range run;

	s->so_far = 0;
	for (uint64_t pfn = 0; pages_next_run(s->pages, pfn, UINT64_MAX, &run);
	     pfn = run.pfn + run.count)
		/* The location of a ragged page is unknown, and there are few. */
		if (!run.ragged)
			add_run(s, &run);
	return s->so_far;
}

/* The end of the smallest part that begins at first and has a page. */
static uint64_t lowest_end(const struct pages *p, uint64_t first)
{
	struct page_range run;

	if (!pages_next_run(p, first, UINT64_MAX, &run))
		return UINT64_MAX;
	return round_down(run.pfn, KDUMP_PART_PAGES) + KDUMP_PART_PAGES;
}

/* The highest first page frame of a part that ends at end and has a page. */
static uint64_t highest_first(const struct pages *p, uint64_t end)
{
	uint64_t rank = pages_rank(p, end);

	return rank ? round_down(pages_run_of_rank(p, rank - 1).pfn, KDUMP_PART_PAGES) : 0;
}

/* The largest possible number of parts: groups of KDUMP_PART_PAGES page frames with a page. */
static uint64_t parts_max(const struct pages *p)
{
	uint64_t count = 0, next = 0;	/* the first group that was not counted yet */
	struct page_range run;

	while (pages_next_run(p, next * KDUMP_PART_PAGES, UINT64_MAX, &run)) {
		uint64_t end = divide_up(run.pfn + run.count, KDUMP_PART_PAGES);

		count += end - run.pfn / KDUMP_PART_PAGES;
		next = end;
	}
	return count;
}

/*
 * Rounds the ends of the parts: upwards so that each part has a page, then downwards so that the
 * following parts have one, too.
 */
static void round_parts(const struct pages *p, struct kdump_part *parts, size_t count)
{
	for (size_t i = 0; i + 1 < count; i++) {
		uint64_t first = i ? parts[i - 1].end : 0;

		parts[i].end = max_u64(round_down(parts[i].end, KDUMP_PART_PAGES),
				       lowest_end(p, first));
	}
	parts[count - 1].end = p->end;
	for (size_t i = count - 1; i > 0; i--)
		parts[i - 1].end = min_u64(parts[i - 1].end, highest_first(p, parts[i].end));
	for (size_t i = 0; i < count; i++) {
		parts[i].first = i ? parts[i - 1].end : 0;
		parts[i].split = count > 1;
	}
}

enum status kdump_split_check(const struct pages *pages, size_t count, struct error *e)
{
	uint64_t most = parts_max(pages);

	if (!most)
		return error_set(e, STATUS_MISSING, "none of the core's memory is present");
	if (count > most)
		return error_set(e, STATUS_USAGE, "%zu outputs: the core's memory can be split "
				 "into at most %" PRIu64 ", because parts begin at multiples of %d "
				 "pages", count, most, KDUMP_PART_PAGES);
	return STATUS_OK;
}

enum status kdump_split(const struct pages *pages, const struct set *set, struct kdump_part *parts,
			size_t count, struct error *e)
{
	struct sum s = { .pages = pages, .set = set, .parts = parts, .count = count };
	enum status status = kdump_split_check(pages, count, e);

	if (status)
		return status;
	for (size_t i = 0; i < count; i++)
		parts[i].end = pages->end;
	if (count > 1) {
		s.total = add_all(&s);
		add_all(&s);
	}
	round_parts(pages, parts, count);
	return STATUS_OK;
}
