// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "core/pages.h"

/* Runs as they are found, before they are sorted. */
struct list {
	struct page_run *runs;
	size_t count, room;
};

/* Bytes of memory that lie together in the source. */
struct stretch {
	uint64_t paddr, offset, length;
};

struct search {
	uint32_t page_size;
	uint64_t source_size;
	struct stretch *stretches;	/* by offset, and none shares a byte with another; owned */
	size_t stretches_count;
	struct list whole;		/* pages of which a stretch has all, */
	struct list ragged;		/* of which one has a part, and that part is there, */
	struct list spoiled;		/* and of which something is missing */
};

static enum status no_memory(struct error *e)
{
	return error_system(e, ENOMEM, "list of pages");
}

static enum status add(struct list *list, struct page_run run, struct error *e)
{
	if (!run.count)
		return STATUS_OK;
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		struct page_run *grown = realloc(list->runs, room * sizeof(*grown));

		if (!grown)
			return no_memory(e);
		list->runs = grown;
		list->room = room;
	}
	list->runs[list->count++] = run;
	return STATUS_OK;
}

static int by_pfn(const void *a, const void *b)
{
	const struct page_run *x = a, *y = b;

	return x->pfn < y->pfn ? -1 : x->pfn > y->pfn;
}

static void sort(struct list *list)
{
	if (list->count)
		qsort(list->runs, list->count, sizeof(*list->runs), by_pfn);
}

/* Each page once: what begins first has it. */
static void count_once(struct list *list, uint32_t page_size)
{
	uint64_t covered = 0;
	size_t kept = 0;

	sort(list);
	for (size_t i = 0; i < list->count; i++) {
		struct page_run r = list->runs[i];
		uint64_t skipped = covered > r.pfn ? covered - r.pfn : 0;

		if (skipped >= r.count)
			continue;
		r.pfn += skipped;
		r.count -= skipped;
		r.offset += skipped * page_size;
		covered = r.pfn + r.count;
		list->runs[kept++] = r;
	}
	list->count = kept;
}

static bool has(const struct list *list, uint64_t pfn)
{
	size_t i = page_runs_from(list->runs, list->count, pfn);

	return i < list->count && list->runs[i].pfn <= pfn;
}

/* --- what is memory ------------------------------------------------------------ */

static enum status find_ram(struct list *list, const struct core *core, uint32_t size,
			    struct error *e)
{
	enum status status = STATUS_OK;
	size_t kept = 0;

	for (size_t i = 0; i < core->segments_count && !status; i++) {
		const struct segment *s = &core->segments[i];
		uint64_t first = s->paddr / size;

		status = add(list, (struct page_run){
			.pfn = first,
			.count = divide_up(s->paddr + s->memsz, size) - first,
		}, e);
	}
	sort(list);
	for (size_t i = 0; i < list->count; i++) {
		struct page_run *last = kept ? &list->runs[kept - 1] : NULL, r = list->runs[i];

		if (last && r.pfn <= last->pfn + last->count)
			last->count = max_u64(last->count, r.pfn + r.count - last->pfn);
		else
			list->runs[kept++] = r;
	}
	list->count = kept;
	return status;
}

/* --- where it lies in the source ------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

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

	qsort(s->stretches, s->stretches_count, sizeof(*s->stretches), by_place);
	for (size_t i = 0; i < s->stretches_count; i++) {
		struct stretch *last = kept ? &s->stretches[kept - 1] : NULL, one = s->stretches[i];

		if (!last || last->offset + last->length <= one.offset) {
			s->stretches[kept++] = one;
			continue;
		}
		if (last->offset - last->paddr != one.offset - one.paddr)
			return error_set(e, STATUS_DAMAGED, "the source's ELF header: segments share "
					 "bytes of the file");
		last->length = max_u64(last->length, one.offset + one.length - last->offset);
	}
	s->stretches_count = kept;
	return STATUS_OK;
}

static enum status find_stretches(struct search *s, const struct core *core, struct error *e)
{
	s->stretches = calloc(core->segments_count + 1, sizeof(*s->stretches));
	if (!s->stretches)
		return no_memory(e);
	for (size_t i = 0; i < core->segments_count; i++) {
		const struct segment *from = &core->segments[i];

		if (from->filesz)
			s->stretches[s->stretches_count++] = (struct stretch){
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
	return add(&s->ragged, (struct page_run){ .pfn = pfn, .count = 1, .ragged = true }, e);
}

/* The bytes from to to of a stretch, counted from its beginning, are all there. */
static enum status add_there(struct search *s, const struct stretch *st, uint64_t from,
			     uint64_t to, struct error *e)
{
	uint64_t size = s->page_size;
	uint64_t first = divide_up(st->paddr + from, size), end = (st->paddr + to) / size;
	enum status status = STATUS_OK;

	if (first < end)
		status = add(&s->whole, (struct page_run){
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

static enum status add_missing(struct search *s, const struct stretch *st, uint64_t from,
			       uint64_t to, struct error *e)
{
	uint64_t first = (st->paddr + from) / s->page_size;

	return add(&s->spoiled, (struct page_run){
		.pfn = first,
		.count = divide_up(st->paddr + to, s->page_size) - first,
	}, e);
}

/* The first gap that ends behind an offset. */
static size_t gap_from(const struct extent *missing, size_t count, uint64_t offset)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (missing[middle].offset + missing[middle].length <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static enum status add_stretch(struct search *s, const struct stretch *st,
			       const struct extent *missing, size_t count, struct error *e)
{
	size_t i = gap_from(missing, count, st->offset);
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
		struct list found = { .runs = s->whole.runs, .count = whole };
		struct page_run r = s->ragged.runs[i];

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
		list->runs[i].rank = count;
		count += list->runs[i].count;
	}
	return count;
}

static enum status find_runs(struct pages *pages, const struct core *core, uint64_t source_size,
			     const struct extent *missing, size_t missing_count, struct error *e)
{
	struct search s = { .page_size = pages->page_size, .source_size = source_size };
	enum status status = find_stretches(&s, core, e);

	for (size_t i = 0; i < s.stretches_count && !status; i++)
		status = add_stretch(&s, &s.stretches[i], missing, missing_count, e);
	count_once(&s.whole, s.page_size);
	if (!status)
		status = add_whole_ragged(&s, e);
	pages->count = rank(&s.whole);
	pages->runs = s.whole.runs;
	pages->runs_count = s.whole.count;
	free(s.stretches);
	free(s.ragged.runs);
	free(s.spoiled.runs);
	return status;
}

static int by_offset(const void *a, const void *b)
{
	const struct page_run *x = *(const struct page_run *const *)a;
	const struct page_run *y = *(const struct page_run *const *)b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static enum status index_offsets(struct pages *pages, struct error *e)
{
	pages->by_offset = calloc(pages->runs_count + 1, sizeof(*pages->by_offset));
	if (!pages->by_offset)
		return no_memory(e);
	for (size_t i = 0; i < pages->runs_count; i++)
		if (!pages->runs[i].ragged)
			pages->by_offset[pages->by_offset_count++] = &pages->runs[i];
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
		       const struct extent *missing, size_t missing_count, struct error *e)
{
	struct list ram = { 0 };
	enum status status;

	*pages = (struct pages){ .page_size = page_size };
	status = find_ram(&ram, core, page_size, e);
	pages->ram = ram.runs;
	pages->ram_count = ram.count;
	if (!status)
		status = find_runs(pages, core, core->bytes.size, missing, missing_count, e);
	if (!status)
		status = index_offsets(pages, e);
	if (!status)
		status = count_lost(pages, core, e);
	if (!status && ram.count)
		pages->end = ram.runs[ram.count - 1].pfn + ram.runs[ram.count - 1].count;
	return status;
}

void pages_free(struct pages *pages)
{
	free(pages->ram);
	free(pages->runs);
	free(pages->by_offset);
	*pages = (struct pages){ 0 };
}

size_t page_runs_from(const struct page_run *runs, size_t count, uint64_t pfn)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (runs[middle].pfn + runs[middle].count <= pfn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t pages_rank(const struct pages *pages, uint64_t pfn)
{
	size_t i = page_runs_from(pages->runs, pages->runs_count, pfn);
	const struct page_run *run = &pages->runs[i];

	if (i == pages->runs_count)
		return pages->count;
	return run->rank + (pfn > run->pfn ? pfn - run->pfn : 0);
}

const struct page_run *pages_of_rank(const struct pages *pages, uint64_t rank)
{
	size_t low = 0, high = pages->runs_count - 1;

	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;

		if (pages->runs[middle].rank <= rank)
			low = middle;
		else
			high = middle - 1;
	}
	return &pages->runs[low];
}

size_t pages_from_offset(const struct pages *pages, uint64_t offset)
{
	size_t low = 0, high = pages->by_offset_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct page_run *run = pages->by_offset[middle];

		if (run->offset + run->count * pages->page_size <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
