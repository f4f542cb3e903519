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

/* Whole pages before ragged ones, so that these are taken only where no segment has all. */
static int by_pfn(const void *a, const void *b)
{
	const struct page_run *x = a, *y = b;

	if (x->pfn != y->pfn)
		return x->pfn < y->pfn ? -1 : 1;
	return x->ragged - y->ragged;
}

static void sort(struct list *list)
{
	if (list->count)
		qsort(list->runs, list->count, sizeof(*list->runs), by_pfn);
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

/* --- what the core has --------------------------------------------------------- */

/* Where the missing is while a segment is gone through. */
struct gaps {
	const struct extent *next, *end;
};

/* The first gap that ends behind an offset. */
static struct gaps gaps_from(const struct extent *missing, size_t count, uint64_t offset)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (missing[middle].offset + missing[middle].length <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct gaps){ .next = missing + low, .end = missing + count };
}

static enum status add_ragged(struct list *list, uint64_t pfn, struct error *e)
{
	return add(list, (struct page_run){ .pfn = pfn, .count = 1, .ragged = true }, e);
}

/* The bytes from to to of a segment, counted from its beginning, are all there. */
static enum status add_piece(struct list *list, const struct segment *s, uint64_t from,
			     uint64_t to, uint32_t size, struct error *e)
{
	uint64_t first = divide_up(s->paddr + from, size), end = (s->paddr + to) / size;
	/* Of a page that the segment cuts, all that is in the segment. */
	uint64_t head = min_u64(s->filesz, round_up(s->paddr, size) - s->paddr);
	uint64_t tail = max_u64(end * size, s->paddr) - s->paddr;
	bool cut_before = s->paddr % size != 0 && from == 0 && to >= head;
	bool cut_behind = (s->paddr + to) % size != 0 && to == s->filesz && from <= tail;
	enum status status = STATUS_OK;

	if (first < end)
		status = add(list, (struct page_run){
			.pfn = first,
			.count = end - first,
			.offset = s->offset + (first * size - s->paddr),
		}, e);
	if (!status && cut_before)
		status = add_ragged(list, s->paddr / size, e);
	if (!status && cut_behind && !(cut_before && s->paddr / size == end))
		status = add_ragged(list, end, e);
	return status;
}

/* there: so many bytes of the segment lie within the source. */
static enum status add_segment(struct list *list, const struct segment *s, uint64_t there,
			       uint32_t size, struct gaps gaps, struct error *e)
{
	uint64_t from = 0;
	enum status status = STATUS_OK;

	while (from < there && !status) {
		uint64_t to = there;
		bool gap = gaps.next < gaps.end && gaps.next->offset < s->offset + there;

		if (gap)
			to = max_u64(gaps.next->offset, s->offset) - s->offset;
		if (to > from)
			status = add_piece(list, s, from, to, size, e);
		if (!gap)
			break;
		from = gaps.next->offset + gaps.next->length - s->offset;
		gaps.next++;
	}
	return status;
}

/* Each page once: what begins first has it. */
static void count_once(struct list *list, struct pages *pages)
{
	uint64_t covered = 0, count = 0;
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct page_run r = list->runs[i];
		uint64_t skipped = covered > r.pfn ? covered - r.pfn : 0;

		if (skipped >= r.count)
			continue;
		r.pfn += skipped;
		r.count -= skipped;
		r.offset += skipped * pages->page_size;
		r.rank = count;
		count += r.count;
		covered = r.pfn + r.count;
		list->runs[kept++] = r;
	}
	list->count = kept;
	pages->count = count;
}

static enum status find_runs(struct pages *pages, const struct core *core, uint64_t source_size,
			     const struct extent *missing, size_t missing_count, struct error *e)
{
	struct list list = { 0 };
	enum status status = STATUS_OK;

	for (size_t i = 0; i < core->segments_count && !status; i++) {
		const struct segment *s = &core->segments[i];

		uint64_t there = source_size > s->offset ? source_size - s->offset : 0;

		status = add_segment(&list, s, min_u64(there, s->filesz), pages->page_size,
				     gaps_from(missing, missing_count, s->offset), e);
	}
	sort(&list);
	count_once(&list, pages);
	pages->runs = list.runs;
	pages->runs_count = list.count;
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
	for (size_t i = 1; i < pages->by_offset_count; i++) {
		const struct page_run *last = pages->by_offset[i - 1];

		if (last->offset + last->count * pages->page_size > pages->by_offset[i]->offset)
			return error_set(e, STATUS_DAMAGED, "the source's ELF header: segments share "
					 "bytes of the file");
	}
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
