// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "filter/page_source.h"

/* Consecutive bytes, in memory and in both sources. */
struct piece {
	uint64_t paddr, length;		/* first, for spans_find() */
	uint64_t offset;		/* in this source */
	uint64_t from;			/* in the other one, or ZEROS */
};

#define ZEROS UINT64_MAX

struct page_source {
	struct source *source;		/* the one that is shown; owned */
	struct source_ops ops;		/* its own ones for readers; the others are of this file */
	uint8_t *head;			/* owned */
	uint64_t head_length;		/* a multiple of the page size */
	struct piece *pieces;		/* by offset, and by address; owned */
	size_t count;
	uint32_t page_size;
};

/* --- reading ---------------------------------------------------------------- */

struct sought {
	const struct page_source *p;
	uint64_t value;
};

static bool ends_before_offset(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->p->pieces[i].offset + s->p->pieces[i].length <= s->value;
}

/* The piece with this byte, which is behind the head and before the end. */
static const struct piece *piece_at(const struct page_source *p, uint64_t offset)
{
	const struct sought sought = { p, offset };

	return &p->pieces[search_first(p->count, ends_before_offset, &sought)];
}

/* Where the byte is in the other source, or ZEROS; *length: at most, and set to what is consecutive there. */
static uint64_t original(const struct source *s, uint64_t offset, uint64_t *length)
{
	const struct page_source *p = s->state;
	const struct piece *piece;

	if (offset < p->head_length) {
		*length = min_u64(*length, p->head_length - offset);
		return ZEROS;
	}
	piece = piece_at(p, offset);
	*length = min_u64(*length, piece->offset + piece->length - offset);
	return piece->from == ZEROS ? ZEROS : piece->from + (offset - piece->offset);
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

/* Bytes of one piece, or of the head, to the destination. */
static enum status copy(struct source_reader *r, uint64_t offset, size_t want, size_t *got, struct error *e)
{
	const struct page_source *p = r->source->state;
	uint64_t length = want, from = original(r->source, offset, &length);
	const uint8_t *data;

	*got = length;
	if (from != ZEROS)
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
	uint64_t length, from, whole;

	if (offset >= r->source->size)
		return STATUS_END;
	length = want = min_u64(want, r->source->size - offset);
	if (offset < p->head_length) {
		*data = p->head + offset;
		*got = min_u64(want, p->head_length - offset);
		return STATUS_OK;
	}
	from = original(r->source, offset, &length);
	whole = round_down(offset + length, p->page_size);
	/* Of several pieces. */
	if (from == ZEROS || (length < want && whole <= offset))
		return get_carefully(r, offset, min_u64(want, p->page_size - offset % p->page_size), data, got, e);
	return lend(r, false, from, length < want ? whole - offset : want, data, got, e);
}

static void next_data(const struct source *s, uint64_t offset, uint64_t end, uint64_t *from, uint64_t *to)
{
	const struct page_source *p = s->state;
	uint64_t length, at, data, hole;

	for (; offset < end; offset += length) {
		length = end - offset;
		at = original(s, offset, &length);
		if (at == ZEROS && offset >= p->head_length)
			continue;
		data = at;
		hole = at + length;
		/* Where the source is too short, there is no hole. */
		if (at != ZEROS && hole <= p->source->size)
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

static void close_pages(struct source *s)
{
	struct page_source *p = s->state;

	source_close(p->source);
	free(p->head);
	free(p->pieces);
	free(p);
}

/* --- pieces ----------------------------------------------------------------- */

/* All zero when empty; by address in the end. */
struct pieces {
	struct piece *list;		/* owned */
	size_t count;
};

static bool add(struct pieces *x, struct piece piece)
{
	struct piece *last = x->count ? &x->list[x->count - 1] : NULL;

	if (!piece.length)
		return true;
	if (last && last->from != ZEROS && last->from + last->length == piece.from &&
	    last->paddr + last->length == piece.paddr) {
		last->length += piece.length;
		return true;
	}
	if (!array_grow(&x->list, x->count, sizeof(*x->list)))
		return false;
	x->list[x->count++] = piece;
	return true;
}

/* Memory of a segment from one address to another, but for what is taken already, or ends up to *at. */
static bool claim(struct pieces *x, const struct range_list *taken, uint64_t *at, const struct segment *s, uint64_t from,
		  uint64_t end)
{
	uint64_t length;
	bool good = true;

	for (from = max_u64(from, *at); good && range_list_gap(taken, &from, end, &length); from += length)
		good = add(x, (struct piece){ .paddr = from, .length = length, .from = s->offset + (from - s->paddr) });
	*at = max_u64(*at, end);
	return good;
}

static bool take_all(struct range_list *taken, const struct pieces *x)
{
	for (size_t i = 0; i < x->count; i++)
		if (!range_list_add(taken, x->list[i].paddr, x->list[i].length))
			return false;
	range_list_sort(taken);
	range_list_merge(taken);
	return true;
}

/* For what a segment has, the source may be too short: then the bytes are those of another one, if that has them. */
static bool claim_all(struct pieces *x, const struct page_source *p, const struct core *core)
{
	struct range_list taken = { 0 };
	bool good = true;

	for (int cut = 0; cut < 2 && good; cut++) {
		uint64_t at = 0;

		for (size_t i = 0; i < core->physical.count && good; i++) {
			const struct segment *s = core->physical.ranges[i].segment;
			uint64_t left = p->source->size - min_u64(p->source->size, s->offset);
			uint64_t there = s->paddr + min_u64(left, s->filesz);

			good = cut ? claim(x, &taken, &at, s, there, s->paddr + s->filesz) :
				     claim(x, &taken, &at, s, s->paddr, there);
		}
		good = good && take_all(&taken, x);
	}
	range_list_free(&taken);
	return good;
}

static int by_address(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->paddr < y->paddr ? -1 : x->paddr > y->paddr;
}

/* Puts zeros around the pieces, so that pages are whole. */
static bool complete(struct pieces *all, const struct pieces *x, uint64_t page_size)
{
	uint64_t at = 0;		/* the end of the last one */
	bool good = true;

	for (size_t i = 0; i < x->count && good; i++) {
		const struct piece *one = &x->list[i];
		uint64_t page = round_down(one->paddr, page_size), end = min_u64(round_up(at, page_size), page);

		/* Of the page before, unless it is the same. */
		if (end > at)
			good = add(all, (struct piece){ .paddr = at, .length = end - at, .from = ZEROS });
		at = max_u64(at, page);
		good = good && add(all, (struct piece){ .paddr = at, .length = one->paddr - at, .from = ZEROS }) &&
		       add(all, *one);
		at = one->paddr + one->length;
	}
	return good && add(all, (struct piece){ .paddr = at, .length = round_up(at, page_size) - at, .from = ZEROS });
}

static enum status find_pieces(struct page_source *p, const struct core *core, uint64_t *size, struct error *e)
{
	struct pieces claimed = { 0 }, all = { 0 };
	bool good = claim_all(&claimed, p, core);

	if (claimed.count)
		qsort(claimed.list, claimed.count, sizeof(*claimed.list), by_address);
	good = good && complete(&all, &claimed, p->page_size);
	free(claimed.list);
	p->pieces = all.list;
	p->count = all.count;
	*size = p->head_length;
	for (size_t i = 0; i < all.count; i++) {
		all.list[i].offset = *size;
		*size += all.list[i].length;
	}
	return good ? STATUS_OK : error_system(e, ENOMEM, "%s: list of pages", p->source->name);
}

/* --- headers ---------------------------------------------------------------- */

static uint64_t offset_of(const struct page_source *p, uint64_t paddr)
{
	const struct piece *piece = &p->pieces[spans_find(p->pieces, sizeof(*p->pieces), p->count, paddr)];

	return piece->offset + (paddr - piece->paddr);
}

/* Whole pages. */
static Elf64_Phdr header_of(const struct page_source *p, const struct segment *s)
{
	uint64_t first = round_down(s->paddr, p->page_size);

	return (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X,
		.p_offset = s->filesz ? offset_of(p, first) : 0,
		.p_vaddr = s->vaddr - s->paddr + first,
		.p_paddr = first,
		.p_filesz = s->filesz ? round_up(s->paddr + s->filesz, p->page_size) - first : 0,
		.p_memsz = round_up(s->paddr + s->memsz, p->page_size) - first,
	};
}

static void put_head(struct page_source *p, const struct core *core)
{
	uint64_t headers = core->segments_count + 1, notes = elf_notes_offset(headers);
	Elf64_Phdr *h = elf_put_header(p->head, core->machine, headers);

	*h++ = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = notes, .p_filesz = core->notes_size,
			     .p_memsz = core->notes_size };
	for (size_t i = 0; i < core->segments_count; i++)
		*h++ = header_of(p, &core->segments[i]);
	if (core->notes_size)
		memcpy(p->head + notes, core->notes, core->notes_size);
}

/* --------------------------------------------------------------------------- */

static enum status make(struct page_source *p, const struct core *core, uint64_t *size, struct error *e)
{
	uint64_t notes = elf_notes_offset(core->segments_count + 1);
	enum status status;

	p->head_length = round_up(notes + core->notes_size, p->page_size);
	p->head = calloc(1, p->head_length);
	if (!p->head)
		return error_system(e, ENOMEM, "%s: program headers", p->source->name);
	status = find_pieces(p, core, size, e);
	if (!status)
		put_head(p, core);
	return status;
}

/* Everything of the other source is the same, but for where bytes are. */
static void show(struct source *s, struct page_source *p, char *name, uint64_t size)
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
	s->size = size;
}

enum status page_source_new(struct source **pages, struct source *source, const struct core *core, uint32_t page_size,
			    struct error *e)
{
	struct page_source *p = calloc(1, sizeof(*p));
	struct source *s = malloc(sizeof(*s));
	char *name = strdup(source->name);
	uint64_t size = 0;
	enum status status;

	if (!p || !s || !name) {
		status = error_system(e, ENOMEM, "%s", source->name);
	} else {
		*p = (struct page_source){ .source = source, .page_size = page_size };
		status = make(p, core, &size, e);
	}
	if (!status) {
		show(s, p, name, size);
		*pages = s;
		return STATUS_OK;
	}
	if (p) {
		free(p->head);
		free(p->pieces);
	}
	free(p);
	free(s);
	free(name);
	return status;
}
