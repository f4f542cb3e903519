// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/clock.h"
#include "filter/source_bytes.h"

/*
 * A mapped source is mapped in pieces, which are kept: each mapping takes longer than to copy a page, and
 * in an emulated machine, as long as to copy many.
 */
enum { PIECE = 256 * 1024 };

/* Between two looks for a request to stop, in seconds. */
#define LOOK_INTERVAL 0.1

struct copying {
	uint8_t *dst;
	const uint8_t *from;
	size_t len;
};

static void copy(void *arg)
{
	const struct copying *c = arg;

	memcpy(c->dst, c->from, c->len);
}

/*
 * Whoever asks the filter about the whole kernel reads for long, and from a slow source for minutes.  If
 * the program has one thread, this is where it sees a request to stop meanwhile.
 */
static enum status check_stop(struct source_bytes *s, struct error *e)
{
	const struct source *source = s->reader.source;

	if (!s->stop)
		return STATUS_OK;
	if (source->interrupted && clock_seconds() - s->looked > LOOK_INTERVAL) {
		source->interrupted(source->interrupted_arg);
		s->looked = clock_seconds();
	}
	return atomic_load(s->stop) ? error_set(e, STATUS_STOPPED, "stopped") : STATUS_OK;
}

static enum status unreadable(enum status status, const struct source *source,
			      const struct error *why, struct error *e)
{
	if (status == STATUS_END)
		return error_set(e, STATUS_MISSING, "%s: ends early", source->name);
	return error_set(e, STATUS_MISSING, "%s", why->text);
}

/*
 * Reads the page with this byte: it cannot be mapped, or it raised SIGBUS, which need not happen
 * again.  If a later pass could not read what pass 1 could, pages would be missing.
 */
static enum status read_page(struct source_bytes *s, uint64_t offset, struct error *e)
{
	const uint8_t *page;
	enum status status;
	struct error why;

	s->page_begin = round_down(offset, ALIGNMENT);
	s->reader.destination = s->page;
	status = source_get_carefully(&s->reader, s->page_begin, ALIGNMENT, &page, &s->page_held, &why);
	if (!status && offset - s->page_begin < s->page_held)
		return STATUS_OK;
	s->page_held = 0;
	return unreadable(status ? status : STATUS_END, s->reader.source, &why, e);
}

static bool piece_has(const struct mapped_piece *p, uint64_t offset)
{
	return offset - p->begin < p->held;
}

/* The piece with this byte, or else the one that was not read for the longest time. */
static struct mapped_piece *find_piece(struct source_bytes *s, uint64_t offset)
{
	struct mapped_piece *oldest = s->pieces;

	for (struct mapped_piece *p = s->pieces; p < s->pieces + SOURCE_BYTES_PIECES; p++) {
		if (piece_has(p, offset))
			return p;
		if (p->used < oldest->used)
			oldest = p;
	}
	return oldest;
}

/* Sets s->last to the piece with this byte, mapped if it is not yet.  False: it cannot be mapped. */
static bool map_piece(struct source_bytes *s, uint64_t offset)
{
	struct mapped_piece *p = s->last;
	struct error ignored;

	if (!piece_has(p, offset))
		p = s->last = find_piece(s, offset);
	p->used = ++s->reads;
	if (piece_has(p, offset))
		return true;
	p->begin = round_down(offset, PIECE);
	if (source_get(&p->reader, p->begin, PIECE, &p->mapped, &p->held, &ignored))
		p->held = 0;
	if (piece_has(p, offset))
		return true;
	/* A source may map only bytes that follow each other in another one. */
	p->begin = round_down(offset, ALIGNMENT);
	if (source_get(&p->reader, p->begin, PIECE - p->begin % PIECE, &p->mapped, &p->held, &ignored))
		p->held = 0;
	return piece_has(p, offset);
}

/* Bytes that cannot be mapped are read, and as few of them as possible. */
static enum status read_mapped(struct source_bytes *s, uint64_t offset, size_t len, uint8_t *dst, size_t *got,
			       struct error *e)
{
	struct copying c = { .dst = dst };
	enum status status;

	if (offset - s->page_begin >= s->page_held && map_piece(s, offset)) {
		size_t within = offset - s->last->begin;

		c.from = s->last->mapped + within;
		c.len = *got = min_u64(len, s->last->held - within);
		if (sigbus_survive(copy, &c))
			return STATUS_OK;
	}
	if (offset - s->page_begin >= s->page_held) {
		status = read_page(s, offset, e);
		if (status)
			return status;
	}
	*got = min_u64(len, s->page_held - (offset - s->page_begin));
	memcpy(dst, s->page + (offset - s->page_begin), *got);
	return STATUS_OK;
}

/*
 * Bytes of a hole that come next, up to len; 0: there may be data.  The memory map of much memory in a hole may
 * be in a hole, too, and then is not read.
 */
static size_t hole_ahead(const struct source *source, uint64_t offset, size_t len)
{
	uint64_t data;

	if (!source->sparse || offset >= source->size)
		return 0;
	source_next_data(source, offset, min_u64(source->size, offset + len), &data, NULL);
	return data - offset;
}

/* To where the caller wants them, or from where the source has them in memory. */
static enum status read_some(struct source_bytes *s, uint64_t offset, size_t len, uint8_t *dst,
			     size_t *got, struct error *e)
{
	const uint8_t *from;
	struct error why;
	enum status status;

	*got = hole_ahead(s->reader.source, offset, len);
	if (*got) {
		memset(dst, 0, *got);
		return STATUS_OK;
	}
	s->reader.destination = dst;
	status = source_get(&s->reader, offset, len, &from, got, &why);
	/* As for read_page(). */
	if (status)
		status = source_get_carefully(&s->reader, offset, len, &from, got, &why);
	if (status)
		return unreadable(status, s->reader.source, &why, e);
	if (from != dst)
		memcpy(dst, from, *got);
	return STATUS_OK;
}

static enum status read_bytes(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct source_bytes *s = arg;
	size_t got;

	for (; len; offset += got, dst += got, len -= got) {
		enum status status = check_stop(s, e);

		if (!status)
			status = s->reader.source->may_fault ? read_mapped(s, offset, len, dst, &got, e) :
							       read_some(s, offset, len, dst, &got, e);
		if (status)
			return status;
	}
	return STATUS_OK;
}

/* Only readers of a mapped source have addresses, and need memory for them. */
size_t source_bytes_memory(const struct source *source)
{
	return (size_t)SMALL_READS_PIECES * SMALL_READS_PIECE +
	       SOURCE_BYTES_PIECES * source_reader_memory(source, ALIGNMENT, PIECE, READ_TO_CALLER);
}

static enum status open_pieces(struct source_bytes *s, struct source *source, struct error *e)
{
	enum status status = STATUS_OK;

	s->last = s->pieces;
	for (unsigned i = 0; !status && i < SOURCE_BYTES_PIECES; i++) {
		struct source_reader *r = &s->pieces[i].reader;

		status = source_reader_init(r, source, ALIGNMENT, PIECE, READ_TO_CALLER, e);
		/*
		 * What cannot be mapped is not read by this reader, which would begin with the first page of
		 * the piece.  Nobody asked for that one, and it may be poisoned.
		 */
		r->buffer_size = 0;
	}
	return status;
}

enum status source_bytes_open(struct source_bytes *s, struct source *source,
			      struct core_bytes *bytes, struct error *e)
{
	const struct core_bytes all = { .size = source->size, .read = read_bytes, .arg = s };
	enum status status;

	*s = (struct source_bytes){ 0 };
	status = source_reader_init(&s->reader, source, ALIGNMENT, PIECE, READ_TO_CALLER, e);
	if (!status && source->may_fault) {
		s->reader.buffer_size = sizeof(s->page);
		status = open_pieces(s, source, e);
	}
	return status ? status : small_reads_open(&s->small, &all, SMALL_READS_PIECE, bytes, e);
}

void source_bytes_close(struct source_bytes *s)
{
	small_reads_close(&s->small);
	for (unsigned i = 0; i < SOURCE_BYTES_PIECES; i++)
		source_reader_free(&s->pieces[i].reader);
	source_reader_free(&s->reader);
}
