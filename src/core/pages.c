// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/search.h"
#include "core/pages.h"

/* Runs as they are found, before they are sorted. */
struct list {
	struct page_range *ranges;
	size_t count;
};

/* Bytes of memory that lie together in the source. */
struct memory_range {
	uint64_t paddr, offset, length;
};

struct search {
	uint32_t page_size;
	uint64_t source_size;
	struct memory_range *memory_ranges;	/* by offset, and none shares a byte with another; owned */
	size_t memory_ranges_count;
	struct list whole;		/* pages of which a stretch has all, */
	struct list ragged;		/* of which one has a part, and that part is there, */
	struct list spoiled;		/* and of which something is missing */
};

static enum status no_memory(struct error *e)
{
	return error_system(e, ENOMEM, "list of pages");
}

static enum status add(struct list *list, struct page_range range, struct error *e)
{
	if (!range.count)
		return STATUS_OK;
	if (!array_grow(&list->ranges, list->count, sizeof(*list->ranges)))
		return no_memory(e);
	list->ranges[list->count++] = range;
	return STATUS_OK;
}

static int by_pfn(const void *a, const void *b)
{
	const struct page_range *x = a, *y = b;

	return x->pfn < y->pfn ? -1 : x->pfn > y->pfn;
}

static void sort(struct list *list)
{
	if (list->count)
		qsort(list->ranges, list->count, sizeof(*list->ranges), by_pfn);
}

/* Each page once: what begins first has it. */
static void count_once(struct list *list, uint32_t page_size)
{
	uint64_t covered = 0;
	size_t kept = 0;

	sort(list);
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

static bool has(const struct list *list, uint64_t pfn)
{
	size_t i = page_ranges_from(list->ranges, list->count, pfn);

	return i < list->count && list->ranges[i].pfn <= pfn;
}

/* --- what is memory ------------------------------------------------------------ */

static enum status find_ram(struct list *list, const struct core *core, uint32_t size,
			    struct error *e)
{
	struct range_list frames = { 0 };	/* page frames, not bytes */
	enum status status = STATUS_OK;

	for (size_t i = 0; i < core->segments_count && !status; i++) {
		const struct segment *s = &core->segments[i];
		uint64_t first = s->paddr / size;

		if (!range_list_add(&frames, first, divide_up(s->paddr + s->memsz, size) - first))
			status = no_memory(e);
	}
	range_list_sort(&frames);
	range_list_merge(&frames);
	for (size_t i = 0; i < frames.count && !status; i++)
		status = add(list, (struct page_range){
			.pfn = frames.ranges[i].offset,
			.count = frames.ranges[i].length,
		}, e);
	range_list_free(&frames);
	return status;
}

/* --- where it lies in the source ------------------------------------------------- */

static int by_location(const void *a, const void *b)
{
	const struct memory_range *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/*
 * Some writers (QEMU, with paging) have several segments for the same bytes, since these have
 * several addresses of the kernel's.  Other sharing is none of a core's, and would make
 * its pages as many as a hostile writer likes.
 */
static enum status merge_stretches(struct search *s, struct error *e)
{
	size_t kept = 0;

	qsort(s->memory_ranges, s->memory_ranges_count, sizeof(*s->memory_ranges), by_location);
	for (size_t i = 0; i < s->memory_ranges_count; i++) {
		struct memory_range *last = kept ? &s->memory_ranges[kept - 1] : NULL, one = s->memory_ranges[i];

		if (!last || last->offset + last->length <= one.offset) {
			s->memory_ranges[kept++] = one;
			continue;
		}
		if (last->offset - last->paddr != one.offset - one.paddr)
			return error_set(e, STATUS_DAMAGED, "the source's ELF header: segments share "
					 "bytes of the file");
		last->length = max_u64(last->length, one.offset + one.length - last->offset);
	}
	s->memory_ranges_count = kept;
	return STATUS_OK;
}

static enum status find_stretches(struct search *s, const struct core *core, struct error *e)
{
	s->memory_ranges = calloc(core->segments_count + 1, sizeof(*s->memory_ranges));
	if (!s->memory_ranges)
		return no_memory(e);
	for (size_t i = 0; i < core->segments_count; i++) {
		const struct segment *from = &core->segments[i];

		if (from->filesz)
			s->memory_ranges[s->memory_ranges_count++] = (struct memory_range){
				.paddr = from->paddr,
				.offset = from->offset,
				.length = from->filesz,
			};
	}
	return merge_stretches(s, e);
}

/* --- what the core has ----------------------------------------------------------- */

static enum status add_ragged(struct search *s, uint64_t pfn, struct error *e)
{
	return add(&s->ragged, (struct page_range){ .pfn = pfn, .count = 1, .ragged = true }, e);
}

/* The bytes from to to of a stretch, counted from its beginning, are all there. */
static enum status add_there(struct search *s, const struct memory_range *st, uint64_t from,
			     uint64_t to, struct error *e)
{
	uint64_t size = s->page_size;
	uint64_t first = divide_up(st->paddr + from, size), end = (st->paddr + to) / size;
	enum status status = STATUS_OK;

	if (first < end)
		status = add(&s->whole, (struct page_range){
			.pfn = first,
			.count = end - first,
			.offset = st->offset + (first * size - st->paddr),
		}, e);
	/* Where the stretch itself cuts a page; what is missing cuts others, and spoils them. */
	if (!status && from == 0 && st->paddr % size)
		status = add_ragged(s, st->paddr / size, e);
	if (!status && to == st->length && (st->paddr + to) % size)
		status = add_ragged(s, end, e);
	return status;
}

static enum status add_missing(struct search *s, const struct memory_range *st, uint64_t from,
			       uint64_t to, struct error *e)
{
	uint64_t first = (st->paddr + from) / s->page_size;

	return add(&s->spoiled, (struct page_range){
		.pfn = first,
		.count = divide_up(st->paddr + to, s->page_size) - first,
	}, e);
}

static enum status add_stretch(struct search *s, const struct memory_range *st,
			       const struct range *missing, size_t count, struct error *e)
{
	size_t i = ranges_find(missing, count, st->offset);
	uint64_t from = 0, there = st->length;
	enum status status = STATUS_OK;

	if (s->source_size - min_u64(s->source_size, st->offset) < there) {
		there = s->source_size - min_u64(s->source_size, st->offset);
		status = add_missing(s, st, there, st->length, e);
	}
	for (; !status && i < count && missing[i].offset < st->offset + there; i++) {
		uint64_t gap = max_u64(missing[i].offset, st->offset) - st->offset;
		uint64_t end = min_u64(missing[i].offset + missing[i].length - st->offset, there);

		if (gap > from)
			status = add_there(s, st, from, gap, e);
		if (!status)
			status = add_missing(s, st, gap, end, e);
		from = end;
	}
	if (!status && from < there)
		status = add_there(s, st, from, there, e);
	return status;
}

/* Ragged pages where no stretch has all, and nothing is missing of any part. */
static enum status add_whole_ragged(struct search *s, struct error *e)
{
	enum status status = STATUS_OK;
	size_t whole = s->whole.count;

	count_once(&s->ragged, s->page_size);
	count_once(&s->spoiled, s->page_size);
	for (size_t i = 0; i < s->ragged.count && !status; i++) {
		struct list found = { .ranges = s->whole.ranges, .count = whole };
		struct page_range r = s->ragged.ranges[i];

		if (!has(&found, r.pfn) && !has(&s->spoiled, r.pfn))
			status = add(&s->whole, r, e);
	}
	sort(&s->whole);
	return status;
}

/* What the core has, with its ranks; and how many pages that is. */
static uint64_t rank(struct list *list)
{
	uint64_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		list->ranges[i].rank = count;
		count += list->ranges[i].count;
	}
	return count;
}

static enum status find_runs(struct pages *pages, const struct core *core, uint64_t source_size,
			     const struct range *missing, size_t missing_count, struct error *e)
{
	struct search s = { .page_size = pages->page_size, .source_size = source_size };
	enum status status = find_stretches(&s, core, e);

	for (size_t i = 0; i < s.memory_ranges_count && !status; i++)
		status = add_stretch(&s, &s.memory_ranges[i], missing, missing_count, e);
	count_once(&s.whole, s.page_size);
	if (!status)
		status = add_whole_ragged(&s, e);
	pages->count = rank(&s.whole);
	pages->ranges = s.whole.ranges;
	pages->ranges_count = s.whole.count;
	free(s.memory_ranges);
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

/* What there would be if nothing were missing. */
static enum status count_lost(struct pages *pages, const struct core *core, struct error *e)
{
	struct pages whole = { .page_size = pages->page_size };
	enum status status = find_runs(&whole, core, UINT64_MAX, NULL, 0, e);

	pages->lost = whole.count - pages->count;
	pages_free(&whole);
	return status;
}

enum status pages_find(struct pages *pages, const struct core *core, uint32_t page_size,
		       const struct range *missing, size_t missing_count, struct error *e)
{
	struct list ram = { 0 };
	enum status status;

	*pages = (struct pages){ .page_size = page_size };
	status = find_ram(&ram, core, page_size, e);
	pages->ram = ram.ranges;
	pages->ram_count = ram.count;
	if (!status)
		status = find_runs(pages, core, core->bytes.size, missing, missing_count, e);
	if (!status)
		status = index_offsets(pages, e);
	if (!status)
		status = count_lost(pages, core, e);
	if (!status && ram.count)
		pages->end = ram.ranges[ram.count - 1].pfn + ram.ranges[ram.count - 1].count;
	return status;
}

void pages_free(struct pages *pages)
{
	free(pages->ram);
	free(pages->ranges);
	free(pages->by_offset);
	*pages = (struct pages){ 0 };
}

struct sought_pfn {
	const struct page_range *ranges;
	uint64_t pfn;
};

static bool ends_before_pfn(const void *arg, size_t i)
{
	const struct sought_pfn *s = arg;

	return s->ranges[i].pfn + s->ranges[i].count <= s->pfn;
}

size_t page_ranges_from(const struct page_range *ranges, size_t count, uint64_t pfn)
{
	const struct sought_pfn sought = { .ranges = ranges, .pfn = pfn };

	return search_first(count, ends_before_pfn, &sought);
}

uint64_t pages_rank(const struct pages *pages, uint64_t pfn)
{
	size_t i = page_ranges_from(pages->ranges, pages->ranges_count, pfn);
	const struct page_range *range = &pages->ranges[i];

	if (i == pages->ranges_count)
		return pages->count;
	return range->rank + (pfn > range->pfn ? pfn - range->pfn : 0);
}

struct sought {
	const struct pages *pages;
	uint64_t value;
};

static bool begins_up_to_rank(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->pages->ranges[i].rank <= s->value;
}

const struct page_range *pages_of_rank(const struct pages *pages, uint64_t rank)
{
	const struct sought sought = { .pages = pages, .value = rank };
	size_t after = search_first(pages->ranges_count, begins_up_to_rank, &sought);

	return &pages->ranges[after - 1];
}

static bool ends_before_offset(const void *arg, size_t i)
{
	const struct sought *s = arg;
	const struct page_range *range = s->pages->by_offset[i];

	return range->offset + range->count * s->pages->page_size <= s->value;
}

size_t pages_from_offset(const struct pages *pages, uint64_t offset)
{
	const struct sought sought = { .pages = pages, .value = offset };

	return search_first(pages->by_offset_count, ends_before_offset, &sought);
}
