// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/form/dump_output.h"
#include "io/sink.h"

enum { LATER = 4 };		/* bytes */

bool dump_output_is_flat(const struct sink *sink)
{
	return !sink_writes_anywhere(sink);
}

size_t dump_output_memory(const struct sink *sink, uint64_t source_size)
{
	return DUMP_BUFFER_MEMORY + (dump_output_is_flat(sink) ? flattened_buffer(source_size) : 0);
}

enum status dump_output_init(struct dump_output *o, struct sink *sink, uint64_t source_size, struct error *e)
{
	*o = (struct dump_output){ .sink = sink };
	o->buffer = memory_to_read(DUMP_BUFFER_MEMORY);
	if (!o->buffer)
		return error_system(e, ENOMEM, "%s: buffer", sink->name);
	return dump_output_is_flat(sink) ? flattened_init(&o->flat, sink, flattened_buffer(source_size), e) :
					   STATUS_OK;
}

void dump_output_free(struct dump_output *o)
{
	flattened_free(&o->flat);
	free(o->buffer);
	o->buffer = NULL;
}

enum status dump_output_append(struct dump_output *o, uint64_t offset, const uint8_t *bytes, size_t len,
			       struct error *e)
{
	return dump_output_is_flat(o->sink) ? flattened_write(&o->flat, offset, bytes, len, e) :
					      sink_append(o->sink, bytes, len, e);
}

enum status dump_output_put(struct dump_output *o, uint64_t offset, const uint8_t *bytes, size_t len,
			    struct error *e)
{
	return dump_output_is_flat(o->sink) ? flattened_write(&o->flat, offset, bytes, len, e) :
					      sink_write_at(o->sink, bytes, len, offset, e);
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
	if (dump_output_is_flat(o->sink))
		return STATUS_OK;
	if (!sink_extend(o->sink, len))
		return sink_append_zeros(o->sink, len, e);
	o->holes += len;
	return STATUS_OK;
}

enum status dump_output_append_head(struct dump_output *o, uint64_t at, size_t len, struct error *e)
{
	enum status status = dump_output_append(o, at, o->buffer, len, e);

	if (!status || dump_output_is_flat(o->sink))
		return status;
	/* Of a bad sector, only its unit cannot be written, and if that is zeros, a hole of the file will do. */
	status = STATUS_OK;
	for (size_t from = 0; from < len && !status; from += ALIGNMENT)
		if (sink_append(o->sink, o->buffer + from, ALIGNMENT, e) &&
		    !(bytes_are_zero(o->buffer + from, ALIGNMENT) && sink_extend(o->sink, ALIGNMENT)))
			status = e->status;
	return status;
}

enum status dump_output_begin(struct dump_output *o, const struct form *f, const struct dump_layout *layout,
			      uint64_t later, struct error *e)
{
	enum status status = STATUS_OK;
	uint64_t bits = 0, len;

	o->flat.digests = f->digests;
	for (uint64_t at = 0; at < layout->head && !status; at += len) {
		uint64_t next = layout->next_head ? layout->next_head(layout->arg, at, &bits) : at;

		len = round_down(next, DUMP_BUFFER) - at;
		if (len) {
			status = skip(o, len, e);
			continue;
		}
		len = min_u64(DUMP_BUFFER, layout->head - at);
		layout->put_head(layout->arg, at, len, o->buffer, &bits);
		status = !at && dump_output_is_flat(o->sink) ? begin_flat(o, later, len, e) :
			 dump_output_append_head(o, at, len, e);
	}
	return status;
}

void dump_output_shows(struct dump_output *o, struct form *f, bool page)
{
	if (page && !o->shown)
		o->shown = o->sink->length + o->flat.filled;
	if (o->shown && (!dump_output_is_flat(o->sink) || max_u64(o->sink->length, o->sink->reached) >= o->shown))
		f->readable = true;
}

bool dump_output_is_there(struct dump_output *o)
{
	struct sink *s = o->sink;
	struct error ignored;

	if (dump_output_is_flat(s))
		return !sink_ends(s);
	return !sink_is_removed(s) &&
	       (sink_read(s, o->buffer, SINK_HEAD, 0, &ignored) || !memcmp(o->buffer, s->head, SINK_HEAD));
}

enum status dump_output_end(struct dump_output *o, struct form *f, struct error *e)
{
	enum status status;

	if (!dump_output_is_flat(o->sink))
		return STATUS_OK;
	status = flattened_end(&o->flat, e);
	dump_output_shows(o, f, false);
	f->digested = f->digests && !status;
	if (f->digested)
		digest_get(&o->flat.digest, f->digest);
	return status;
}
