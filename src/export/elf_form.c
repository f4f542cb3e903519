// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "export/elf_form.h"

/* --- runs ------------------------------------------------------------------- */

/* The most segments with the same page that are looked at.  Real cores have two or three. */
enum { TRIES_MAX = 64 };

/* The segment with the most memory that has this page: of the memory around it, rather than of the kernel image. */
static const struct segment *segment_of(const struct elf_form *x, uint64_t pfn)
{
	const struct segment_index *by_address = &x->core->physical;
	uint64_t page = pfn * x->pages->page_size;
	size_t i = segment_index_up_to(by_address, page + x->pages->page_size - 1);
	const struct segment *found = NULL;

	for (int tries = 0; tries < TRIES_MAX && segment_index_last(by_address, i, page, &i); tries++) {
		const struct segment *s = by_address->ranges[i].segment;

		if (!found || s->memsz > found->memsz)
			found = s;
	}
	return found;
}

static enum status add_run(struct elf_form *x, const struct page_range *run, uint64_t *end, struct error *e)
{
	struct elf_run *last = x->runs_count ? &x->runs[x->runs_count - 1] : NULL;

	if (!last || run->pfn >= last->end || run->pfn - (last->pfn + last->count) >= ELF_GAP) {
		const struct segment *segment = segment_of(x, run->pfn);

		if (!segment)
			return error_set(e, STATUS_DAMAGED, "ELF header of the source: a segment is longer in the file "
					 "than in memory");
		if (!array_grow(&x->runs, x->runs_count, sizeof(*x->runs)))
			return error_system(e, ENOMEM, "headers of an ELF core");
		last = &x->runs[x->runs_count++];
		*last = (struct elf_run){ .pfn = run->pfn, .place = x->places, .segment = segment,
					  .end = divide_up(segment->paddr + segment->memsz, x->pages->page_size) };
	}
	/* The rest is of another segment. */
	*end = min_u64(run->pfn + run->count, last->end);
	last->count = *end - last->pfn;
	x->places = last->place + last->count;
	return STATUS_OK;
}

static enum status find_runs(struct elf_form *x, struct error *e)
{
	enum status status = STATUS_OK;
	struct page_range run;

	for (uint64_t pfn = 0; !status && pages_next_run(x->pages, pfn, UINT64_MAX, &run);)
		status = add_run(x, &run, &pfn, e);
	/* What is left out between two of them is counted once. */
	for (size_t i = 0; i + 1 < x->runs_count; i++)
		x->runs[i].end = min_u64(x->runs[i].end, x->runs[i + 1].pfn);
	return status;
}

static size_t runs_from(const struct elf_form *x, uint64_t pfn)
{
	return spans_find(x->runs, sizeof(*x->runs), x->runs_count, pfn);
}

uint64_t elf_form_place(const struct elf_form *x, uint64_t pfn)
{
	const struct elf_run *run = &x->runs[runs_from(x, pfn)];

	return run->place + (pfn - run->pfn);
}

/* --- headers ---------------------------------------------------------------- */

/* Headers being made, or only counted. */
struct headers {
	Elf64_Phdr *list;		/* NULL: they are counted */
	uint64_t count, data;		/* data: the offset of the pages in the file */
};

static void add_header(struct headers *h, const struct elf_form *x, const struct segment *s, const struct elf_run *run,
		       uint64_t pfn, uint64_t kept, uint64_t memory)
{
	uint64_t size = x->pages->page_size;

	if (h->list)
		h->list[h->count] = elf_load(&(struct segment){
			.offset = h->data + (run->place + (pfn - run->pfn)) * size,
			.vaddr = s->vaddr - s->paddr + pfn * size,
			.paddr = pfn * size,
			.filesz = kept * size,
			.memsz = memory * size,
		});
	h->count++;
}

/* A segment with other virtual addresses of memory that a run has. */
static void add_others(struct headers *h, const struct elf_form *x, const struct segment *s)
{
	uint64_t first = divide_up(s->paddr, x->pages->page_size);
	uint64_t end = (s->paddr + s->memsz) / x->pages->page_size;

	for (size_t i = runs_from(x, first); i < x->runs_count && x->runs[i].pfn < end; i++) {
		const struct elf_run *run = &x->runs[i];
		uint64_t from = max_u64(run->pfn, first), to = min_u64(run->pfn + run->count, end);

		if (run->segment != s && from < to)
			add_header(h, x, s, run, from, to - from, to - from);
	}
}

/* In the order of /proc/vmcore. */
static void add_headers(struct headers *h, const struct elf_form *x)
{
	for (size_t i = 0; i < x->core->segments_count; i++)
		add_others(h, x, &x->core->segments[i]);
	for (size_t i = 0; i < x->runs_count; i++) {
		const struct elf_run *run = &x->runs[i];

		add_header(h, x, run->segment, run, run->pfn, run->count, run->end - run->pfn);
	}
}

static enum status make_head(struct elf_form *x, struct error *e)
{
	struct headers h = { 0 };
	uint64_t notes;

	add_headers(&h, x);
	notes = elf_notes_offset(h.count + 1);
	x->head_length = round_up(notes + x->core->notes_size, x->pages->page_size);
	x->head = calloc(1, x->head_length);
	if (!x->head)
		return error_system(e, ENOMEM, "headers of an ELF core");
	h = (struct headers){ .list = elf_put_header(x->head, x->core->machine, h.count + 1, x->core->notes_size),
			      .data = x->head_length };
	add_headers(&h, x);
	if (x->core->notes_size)
		memcpy(x->head + notes, x->core->notes, x->core->notes_size);
	return STATUS_OK;
}

enum status elf_form_init(struct elf_form *x, const struct core *core, const struct pages *pages, struct error *e)
{
	enum status status;

	*x = (struct elf_form){ .core = core, .pages = pages };
	status = find_runs(x, e);
	return status ? status : make_head(x, e);
}

void elf_form_free(struct elf_form *x)
{
	free(x->runs);
	free(x->head);
	*x = (struct elf_form){ 0 };
}
