// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/form/dump_output.h"
#include "format/kdump.h"
#include "io/sink.h"

/* --- flattened files ----------------------------------------------------- */

enum {
	FILE_HEADER = 4096,		/* bytes, most of them zero */
	PIECE_HEADER = 16,
	BUFFER_MIN = 1 << 20,
	BUFFER_MAX = 16 << 20,
	PIECES = 90000,
};

static void put_be64(uint8_t *dst, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		dst[i] = (uint8_t)(v >> (56 - 8 * i));
}

/* The size of the buffer for a file of up to this length: at most 90,000 pieces of data up to 1.4 TiB. */
static size_t flattened_buffer(uint64_t length)
{
	return round_up(max_u64(BUFFER_MIN, min_u64(BUFFER_MAX, length / PIECES)), ALIGNMENT);
}

enum status flattened_init(struct flattened *f, struct sink *sink, size_t buffer, struct error *e)
{
	*f = (struct flattened){ .sink = sink, .size = buffer };
	f->buffer = memory_to_read(buffer);
	return f->buffer ? STATUS_OK : error_system(e, ENOMEM, "%s: buffer of %zu bytes", sink->name, buffer);
}

void flattened_free(struct flattened *f)
{
	free(f->buffer);
	f->buffer = NULL;
}

static void close_piece(struct flattened *f)
{
	if (f->open)
		put_be64(f->buffer + f->piece + 8, f->filled - f->piece - PIECE_HEADER);
	f->open = false;
}

/* Writes whole units, and keeps the rest; all of it if that fails. */
static enum status flush(struct flattened *f, struct error *e)
{
	size_t whole = round_down(f->filled, ALIGNMENT);

	close_piece(f);
	if (whole && sink_append(f->sink, f->buffer, whole, e))
		return e->status;
	if (f->digests)
		digest_add(&f->digest, f->buffer, whole);
	f->filled -= whole;
	memmove(f->buffer, f->buffer + whole, f->filled);
	return STATUS_OK;
}

static void begin_piece(struct flattened *f, uint64_t offset)
{
	close_piece(f);
	put_be64(f->buffer + f->filled, offset);
	f->piece = f->filled;
	f->filled += PIECE_HEADER;
	f->end = offset;
	f->open = true;
}

enum status flattened_begin(struct flattened *f, struct error *e)
{
	if (f->digests)
		digest_begin(&f->digest);
	memset(f->buffer, 0, FILE_HEADER);
	strcpy((char *)f->buffer, KDUMP_FLAT_SIGNATURE);
	put_be64(f->buffer + 16, 1);		/* type */
	put_be64(f->buffer + 24, 1);		/* version */
	f->filled = FILE_HEADER;
	return flush(f, e);
}

enum status flattened_write(struct flattened *f, uint64_t offset, const uint8_t *bytes, size_t len, struct error *e)
{
	while (len) {
		bool follows = f->open && offset == f->end;
		size_t some;

		if (f->filled + (follows ? 0 : PIECE_HEADER) >= f->size) {
			if (flush(f, e))
				return e->status;
			continue;
		}
		if (!follows)
			begin_piece(f, offset);
		some = min_u64(len, f->size - f->filled);
		memcpy(f->buffer + f->filled, bytes, some);
		f->filled += some;
		f->end += some;
		offset += some;
		bytes += some;
		len -= some;
	}
	return STATUS_OK;
}

enum status flattened_end(struct flattened *f, struct error *e)
{
	enum status status = flush(f, e);

	if (status)
		return status;
	put_be64(f->buffer + f->filled, UINT64_MAX);
	put_be64(f->buffer + f->filled + 8, UINT64_MAX);
	f->filled += PIECE_HEADER;
	/* Readers stop at the end, and ignore what follows. */
	memset(f->buffer + f->filled, 0, round_up(f->filled, ALIGNMENT) - f->filled);
	f->filled = round_up(f->filled, ALIGNMENT);
	return flush(f, e);
}

/* --- the output ---------------------------------------------------------- */

enum { LATER = 4 };		/* bytes */

static bool is_flat(const struct sink *sink)
{
	return !sink_writes_anywhere(sink);
}

size_t dump_output_memory(const struct sink *sink, uint64_t source_size)
{
	return DUMP_BUFFER_MEMORY + (is_flat(sink) ? flattened_buffer(source_size) : 0);
}

enum status dump_output_init(struct dump_output *o, const struct form_ops *ops, struct sink *sink,
			     const struct dump_layout *layout, uint64_t source_size, struct error *e)
{
	*o = (struct dump_output){ .form = { .ops = ops, .sink = sink }, .layout = layout, .is_flat = is_flat(sink) };
	o->buffer = memory_to_read(DUMP_BUFFER_MEMORY);
	if (!o->buffer)
		return error_system(e, ENOMEM, "%s: buffer", sink->name);
	return o->is_flat ? flattened_init(&o->flat, sink, flattened_buffer(source_size), e) : STATUS_OK;
}

void dump_output_free(struct dump_output *o)
{
	flattened_free(&o->flat);
	free(o->buffer);
}

enum status dump_output_append(struct dump_output *o, uint64_t offset, const uint8_t *bytes, size_t len,
			       struct error *e)
{
	return o->is_flat ? flattened_write(&o->flat, offset, bytes, len, e) :
					      sink_append(o->form.sink, bytes, len, e);
}

enum status dump_output_put(struct dump_output *o, uint64_t offset, const uint8_t *bytes, size_t len,
			    struct error *e)
{
	return o->is_flat ? flattened_write(&o->flat, offset, bytes, len, e) :
					      sink_write_at(o->form.sink, bytes, len, offset, e);
}

/* The first part of the head, in the buffer. */
static enum status begin_flat(struct dump_output *o, uint64_t later, size_t len, struct error *e)
{
	enum status status = flattened_begin(&o->flat, e);
	uint64_t next = later ? later + LATER : 0;

	if (!status)
		status = flattened_write(&o->flat, 0, o->buffer, later, e);
	return status ? status : flattened_write(&o->flat, next, o->buffer + next, len - next, e);
}

/* Zeros of the head, which take neither space nor time in a file. */
static enum status skip(struct dump_output *o, uint64_t len, struct error *e)
{
	if (o->is_flat)
		return STATUS_OK;
	if (!sink_extend(o->form.sink, len))
		return sink_append_zeros(o->form.sink, len, e);
	o->holes += len;
	return STATUS_OK;
}

enum status dump_output_append_head(struct dump_output *o, uint64_t at, size_t len, struct error *e)
{
	enum status status = dump_output_append(o, at, o->buffer, len, e);

	if (!status || o->is_flat)
		return status;
	/* Of a bad sector, only its unit cannot be written, and if that is zeros, a hole of the file will do. */
	status = STATUS_OK;
	for (size_t from = 0; from < len && !status; from += ALIGNMENT)
		if (sink_append(o->form.sink, o->buffer + from, ALIGNMENT, e) &&
		    !(bytes_are_zero(o->buffer + from, ALIGNMENT) && sink_extend(o->form.sink, ALIGNMENT)))
			status = e->status;
	return status;
}

enum status dump_output_begin(struct dump_output *o, uint64_t later, struct error *e)
{
	const struct dump_layout *layout = o->layout;
	enum status status = STATUS_OK;
	uint64_t bits = 0, len;

	o->flat.digests = o->form.digests;
	for (uint64_t at = 0; at < layout->head && !status; at += len) {
		uint64_t next = layout->next_head ? layout->next_head(layout->arg, at, &bits) : at;

		len = round_down(next, DUMP_BUFFER) - at;
		if (len) {
			status = skip(o, len, e);
			continue;
		}
		len = min_u64(DUMP_BUFFER, layout->head - at);
		layout->put_head(layout->arg, at, len, o->buffer, &bits);
		status = !at && o->is_flat ? begin_flat(o, later, len, e) :
			 dump_output_append_head(o, at, len, e);
	}
	return status;
}

void dump_output_shows(struct dump_output *o, bool page)
{
	const struct sink *s = o->form.sink;

	if (page && !o->shown)
		o->shown = s->length + o->flat.filled;
	if (o->shown && (!o->is_flat || max_u64(s->length, s->reached) >= o->shown))
		o->form.readable = true;
}

bool dump_output_is_there(struct dump_output *o)
{
	struct sink *s = o->form.sink;
	struct error ignored;

	if (o->is_flat)
		return !sink_ends(s);
	return !sink_is_removed(s) &&
	       (sink_read(s, o->buffer, SINK_HEAD, 0, &ignored) || !memcmp(o->buffer, s->head, SINK_HEAD));
}

enum status dump_output_end(struct dump_output *o, struct error *e)
{
	struct form *f = &o->form;
	enum status status = STATUS_OK;

	if (o->is_flat) {
		status = flattened_end(&o->flat, e);
		dump_output_shows(o, false);
		f->digested = f->digests && !status;
		if (f->digested)
			digest_get(&o->flat.digest, f->digest);
	}
	if (!status)
		status = sink_sync(f->sink, e);
	if (!status)
		f->closed = f->sink->length;
	return status;
}

/* --- the pages of a chunk ------------------------------------------------ */

static bool has_pages(enum run_kind kind)
{
	return kind == RUN_STORED || kind == RUN_ZERO || kind == RUN_UNREADABLE;
}

struct chunk_pages chunk_pages_begin(const struct dump_layout *layout, const struct chunk *chunk)
{
	return (struct chunk_pages){
		.layout = layout, .chunk = chunk,
		.cursor = run_cursor_begin(&chunk->record, chunk->bytes),
	};
}

static uint32_t entry_of(const struct chunk_pages *c)
{
	return get_le32(c->chunk->bytes + record_table_offset(&c->chunk->record) +
			(size_t)RECORD_ENTRY_LENGTH * c->block);
}

/* Blocks may be of what is no page of the dump, such as the ELF header of the source. */
static void skip_to(struct chunk_pages *c, uint32_t block)
{
	for (; c->block < block; c->block++)
		c->payload += record_entry_length(entry_of(c));
}

bool chunk_pages_next(struct chunk_pages *c, struct dump_pages *pages)
{
	const struct dump_layout *l = c->layout;

	while (!has_pages(c->place.run.kind) ||
	       !l->next_pages(l->arg, c->next, c->place.offset + c->place.length, pages)) {
		if (!run_cursor_next(&c->cursor, &c->place))
			return false;
		c->next = c->place.offset;
	}
	c->next = pages->offset + pages->count * l->page_size;
	if (c->place.run.kind == RUN_STORED)
		skip_to(c, (uint32_t)((c->place.stored_at + (pages->offset - c->place.offset)) / l->page_size));
	return true;
}

struct page_block chunk_pages_block(struct chunk_pages *c)
{
	uint32_t entry = entry_of(c);
	struct page_block block = {
		.kind = (enum block_kind)record_entry_kind(entry),
		.at = c->payload,
		.length = record_entry_length(entry),
	};

	skip_to(c, c->block + 1);
	return block;
}
