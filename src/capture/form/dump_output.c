// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "capture/form/dump_output.h"
#include "io/sink.h"

/* --- the output ---------------------------------------------------------- */

size_t dump_output_memory(const struct sink *sink, uint64_t source_size)
{
	return DUMP_BUFFER_MEMORY + (sink_writes_anywhere(sink) ? 0 : flattened_buffer(source_size));
}

static enum status append_flat(void *arg, const uint8_t *bytes, size_t len, struct error *e)
{
	return sink_append(arg, bytes, len, e);
}

enum status dump_output_init(struct dump_output *o, const struct form_ops *ops, struct sink *sink,
			     const struct dump_layout *layout, uint64_t source_size, struct error *e)
{
	*o = (struct dump_output){ .form = { .ops = ops, .sink = sink }, .layout = layout };
	o->is_flat = !sink_writes_anywhere(sink);
	o->buffer = memory_to_read(DUMP_BUFFER_MEMORY);
	if (!o->buffer)
		return error_system(e, ENOMEM, "%s: buffer", sink->name);
	return o->is_flat ? flattened_init(&o->flat, append_flat, sink, sink->name, flattened_buffer(source_size), e) :
			    STATUS_OK;
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

	return status ? status : flattened_write_head(&o->flat, o->buffer, len, later, e);
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

uint64_t dump_output_closing(const struct dump_output *o, uint64_t pieces)
{
	uint64_t head = o->form.sink->length || o->flat.filled ? 0 : FLATTENED_HEADER + o->layout->head;

	/* One of a chunk, two of its descriptors at least, the last one, and the end. */
	return head + o->flat.filled + (pieces + 5) * FLATTENED_PIECE_HEADER + ALIGNMENT;
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
