// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/pages.h"
#include "filter/page_source.h"

#define NOWHERE UINT64_MAX

struct page_source {
	struct source *source;		/* the one that is shown; owned */
	struct source_ops ops;		/* its own ones for readers; the others are of this file */
	struct core core;		/* in it, of which only the segments are used; owned */
	/* As if that source were not too short.  The rank of a page says where it is in this source.  Owned. */
	struct pages pages;
	uint8_t *head;			/* owned */
	uint64_t head_length;		/* a multiple of the page size */
};

/* --- reading ---------------------------------------------------------------- */

/* The pages from this byte on that follow each other in memory and in the other source; *within: bytes before it. */
static struct page_range run_at(const struct page_source *p, uint64_t offset, uint64_t *within)
{
	*within = (offset - p->head_length) % p->pages.page_size;
	return pages_run_of_rank(&p->pages, (offset - p->head_length) / p->pages.page_size);
}

/* Of a byte of memory, as original().  If the source is too short for a segment, another one may have it. */
static uint64_t find_in_segments(const struct page_source *p, uint64_t paddr, uint64_t *length)
{
	const struct segment_index *x = &p->core.physical;
	size_t next = segment_index_up_to(x, paddr), i = next;
	uint64_t found = NOWHERE;

	if (next < x->count)
		*length = min_u64(*length, x->ranges[next].first - paddr);
	while (segment_index_last(x, i, paddr, &i)) {
		const struct segment *s = x->ranges[i].segment;
		uint64_t within = paddr - s->paddr, offset = s->offset + within;

		*length = min_u64(*length, (within < s->filesz ? s->filesz : s->memsz) - within);
		if (within < s->filesz)
			found = offset;
		if (within < s->filesz && offset < p->source->size) {
			*length = min_u64(*length, p->source->size - offset);
			break;
		}
	}
	return found;
}

/* Where the byte is in the other source, or NOWHERE; *length: at most, and set to what is consecutive there. */
static uint64_t original(const struct source *s, uint64_t offset, uint64_t *length)
{
	const struct page_source *p = s->state;
	struct page_range run;
	uint64_t within;

	if (offset < p->head_length) {
		*length = min_u64(*length, p->head_length - offset);
		return NOWHERE;
	}
	run = run_at(p, offset, &within);
	*length = min_u64(*length, run.count * p->pages.page_size - within);
	if (run.ragged || run.offset + within >= p->source->size)
		return find_in_segments(p, run.pfn * p->pages.page_size + within, length);
	*length = min_u64(*length, p->source->size - (run.offset + within));
	return run.offset + within;
}

/* The reader is of this source, and is lent to the other one. */
static enum status lend(struct source_reader *r, bool carefully, uint64_t offset, size_t want, const uint8_t **data,
			size_t *got, struct error *e)
{
	struct source *own = r->source;
	enum status status;

	r->source = ((const struct page_source *)own->state)->source;
	status = carefully ? source_get_carefully(r, offset, want, data, got, e) :
			     source_get(r, offset, want, data, got, e);
	r->source = own;
	return status;
}

/* Bytes that are consecutive in the other source, or of the head, to the destination. */
static enum status copy(struct source_reader *r, uint64_t offset, size_t want, size_t *got, struct error *e)
{
	const struct page_source *p = r->source->state;
	uint64_t length = want, from = original(r->source, offset, &length);
	const uint8_t *data;

	*got = length;
	if (from != NOWHERE)
		return lend(r, true, from, length, &data, got, e);
	if (offset < p->head_length)
		memcpy(r->destination, p->head + offset, length);
	else
		memset(r->destination, 0, length);
	return STATUS_OK;
}

static enum status get_carefully(struct source_reader *r, uint64_t offset, size_t want, const uint8_t **data,
				 size_t *got, struct error *e)
{
	uint8_t *destination = r->destination;
	enum status status = STATUS_OK;
	size_t some;

	want = min_u64(min_u64(want, r->buffer_size), r->source->size - min_u64(offset, r->source->size));
	for (*got = 0; *got < want && !status; *got += status ? 0 : some) {
		r->destination = destination + *got;
		status = copy(r, offset + *got, want - *got, &some, e);
	}
	r->destination = destination;
	*data = destination;
	if (status == STATUS_END && *got)
		return STATUS_OK;
	return status || *got ? status : STATUS_END;
}

static enum status get(struct source_reader *r, uint64_t offset, size_t want, const uint8_t **data, size_t *got,
		       struct error *e)
{
	const struct page_source *p = r->source->state;
	uint64_t size = p->pages.page_size, within, there;
	struct page_range run;

	if (offset >= r->source->size)
		return STATUS_END;
	want = min_u64(want, r->source->size - offset);
	if (offset < p->head_length) {
		*data = p->head + offset;
		*got = min_u64(want, p->head_length - offset);
		return STATUS_OK;
	}
	run = run_at(p, offset, &within);
	/* Whole pages that the source is long enough for. */
	there = run.ragged ? 0 : p->source->size - min_u64(p->source->size, run.offset);
	there = min_u64(round_down(there, size), run.count * size);
	if (there <= within)
		return get_carefully(r, offset, min_u64(want, size - within), data, got, e);
	return lend(r, false, run.offset + within, min_u64(want, there - within), data, got, e);
}

static void next_data(const struct source *s, uint64_t offset, uint64_t end, uint64_t *from, uint64_t *to)
{
	const struct page_source *p = s->state;
	uint64_t length, at, data, hole;

	for (; offset < end; offset += length) {
		length = end - offset;
		at = original(s, offset, &length);
		if (at == NOWHERE && offset >= p->head_length)
			continue;
		data = at;
		hole = at + length;
		/* Where the source is too short, there is no hole. */
		if (at != NOWHERE && hole <= p->source->size)
			source_next_data(p->source, at, at + length, &data, to ? &hole : NULL);
		if (data == at + length)
			continue;
		/* Of the head, both differences wrap around in the same way. */
		*from = offset + (data - at);
		if (to)
			*to = offset + (hole - at);
		return;
	}
	*from = end;
}

static void free_state(struct page_source *p)
{
	pages_free(&p->pages);
	core_close(&p->core);
	free(p->head);
	free(p);
}

static void close_pages(struct source *s)
{
	struct page_source *p = s->state;

	source_close(p->source);
	free_state(p);
}

/* --- headers ---------------------------------------------------------------- */

/* Whole pages. */
static Elf64_Phdr header_of(const struct page_source *p, const struct segment *s)
{
	uint64_t size = p->pages.page_size, first = round_down(s->paddr, size);

	return elf_load(&(struct segment){
		.offset = s->filesz ? p->head_length + pages_rank(&p->pages, first / size) * size : 0,
		.vaddr = s->vaddr - s->paddr + first,
		.paddr = first,
		.filesz = s->filesz ? round_up(s->paddr + s->filesz, size) - first : 0,
		.memsz = round_up(s->paddr + s->memsz, size) - first,
	});
}

static enum status make_head(struct page_source *p, const struct core *core, struct error *e)
{
	uint64_t headers = core->segments_count + 1, notes = elf_notes_offset(headers);
	Elf64_Phdr *h;

	p->head_length = round_up(notes + core->notes_size, p->pages.page_size);
	p->head = calloc(1, p->head_length);
	if (!p->head)
		return error_system(e, ENOMEM, "%s: program headers", p->source->name);
	h = elf_put_header(p->head, core->machine, headers, core->notes_size);
	for (size_t i = 0; i < core->segments_count; i++)
		*h++ = header_of(p, &core->segments[i]);
	if (core->notes_size)
		memcpy(p->head + notes, core->notes, core->notes_size);
	return STATUS_OK;
}

/* --------------------------------------------------------------------------- */

/* Everything of the other source is the same, but for where bytes are. */
static void show(struct source *s, struct page_source *p, char *name)
{
	p->ops = *p->source->ops;
	p->ops.get = get;
	p->ops.get_carefully = get_carefully;
	p->ops.original = original;
	p->ops.next_data = next_data;
	p->ops.close = close_pages;
	*s = *p->source;
	s->ops = &p->ops;
	s->name = name;
	s->fd = s->direct_fd = -1;
	s->state = p;
	s->size = p->head_length + p->pages.in_core * p->pages.page_size;
}

enum status page_source_new(struct source **pages, struct source *source, struct core *core, uint32_t page_size,
			    struct error *e)
{
	struct page_source *p = calloc(1, sizeof(*p));
	struct source *s = malloc(sizeof(*s));
	char *name = strdup(source->name);
	struct core whole = *core;
	enum status status;

	if (!p || !s || !name) {
		status = error_system(e, ENOMEM, "%s", source->name);
	} else {
		p->source = source;
		whole.bytes.size = UINT64_MAX;
		status = pages_find(&p->pages, &whole, page_size, NULL, e);
		if (!status)
			status = make_head(p, core, e);
	}
	if (!status) {
		p->core = *core;
		*core = (struct core){ .bytes = core->bytes };
		/* This one is not used. */
		segment_index_free(&p->core.virtual);
		show(s, p, name);
		*pages = s;
		return STATUS_OK;
	}
	if (p)
		free_state(p);
	free(s);
	free(name);
	return status;
}
