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

/* Adds a page range, record by record. */
static void add_range(struct sum *s, const struct page_range *range)
{
	uint64_t size = s->pages->page_size, from = range->offset;
	uint64_t to = from + range->count * size;

	for (size_t i = set_find(s->set, from); i < s->set->locations && from < to; i++) {
		const struct index_entry *entry = &s->set->map[i]->entry;
		uint64_t end = min_u64(to, entry->source_offset + entry->source_length);

		if (s->set->map[i]->duplicate || end <= from)
			continue;
		from = max_u64(from, entry->source_offset);
		if (from >= end)
			break;
		add(s, range->pfn + (from - range->offset) / size,
		    range->pfn + (end - range->offset) / size, (double)entry->record_length *
		    (double)(end - from) / (double)entry->source_length);
		from = end;
	}
}

static double add_all(struct sum *s)
{
	s->so_far = 0;
	for (size_t i = 0; i < s->pages->ranges_count; i++)
		/* The location of a ragged page is unknown, and there are few. */
		if (!s->pages->ranges[i].ragged)
			add_range(s, &s->pages->ranges[i]);
	return s->so_far;
}

/* The end of the smallest part that begins at first and has a page. */
static uint64_t lowest_end(const struct pages *p, uint64_t first)
{
	size_t i = page_ranges_from(p->ranges, p->ranges_count, first);

	if (i == p->ranges_count)
		return UINT64_MAX;
	return round_down(max_u64(p->ranges[i].pfn, first), KDUMP_PART_PAGES) + KDUMP_PART_PAGES;
}

/* The highest first page frame of a part that ends at end and has a page. */
static uint64_t highest_first(const struct pages *p, uint64_t end)
{
	uint64_t rank = pages_rank(p, end);
	const struct page_range *range;

	if (!rank)
		return 0;
	range = pages_of_rank(p, rank - 1);
	return round_down(range->pfn + (rank - 1 - range->rank), KDUMP_PART_PAGES);
}

/* The largest possible number of parts: groups of KDUMP_PART_PAGES page frames with a page. */
static uint64_t parts_max(const struct pages *p)
{
	uint64_t count = 0, next = 0;	/* the first group that was not counted yet */

	for (size_t i = 0; i < p->ranges_count; i++) {
		uint64_t last = (p->ranges[i].pfn + p->ranges[i].count - 1) / KDUMP_PART_PAGES;
		uint64_t first = max_u64(p->ranges[i].pfn / KDUMP_PART_PAGES, next);

		count += last + 1 - min_u64(first, last + 1);
		next = last + 1;
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
	s.total = add_all(&s);
	for (size_t i = 0; i < count; i++)
		parts[i].end = pages->end;
	add_all(&s);
	round_parts(pages, parts, count);
	return STATUS_OK;
}
