// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "filter/source_bytes.h"
#include "io/sigbus.h"

/*
 * A mapped source is mapped in pieces, since consecutive reads are often near each other, and each
 * mapping takes longer than to copy a page.  A reader keeps four times WINDOW mapped: unmapping
 * interrupts all CPUs.
 */
enum { PIECE = 64 * 1024, WINDOW = 256 * 1024 };

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
	struct error why;
	enum status status;

	s->begin = round_down(offset, UNIT);
	s->reader.destination = s->page;
	status = source_get_carefully(&s->reader, s->begin, UNIT, &s->mapped, &s->held, &why);
	if (!status && offset - s->begin < s->held)
		return STATUS_OK;
	s->held = 0;
	return unreadable(status ? status : STATUS_END, s->reader.source, &why, e);
}

/* Maps the piece with this byte, unless it is mapped. */
static enum status map_piece(struct source_bytes *s, uint64_t offset, struct error *e)
{
	uint64_t begin = round_down(offset, PIECE);
	struct error ignored;
	enum status status;

	if (offset - s->begin < s->held)
		return STATUS_OK;
	s->reader.destination = s->page;
	status = source_get(&s->reader, begin, PIECE, &s->mapped, &s->held, &ignored);
	s->begin = begin;
	/* What cannot be mapped is read, and as little of it as possible. */
	if (status || s->mapped == s->page || offset - begin >= s->held)
		return read_page(s, offset, e);
	return STATUS_OK;
}

static enum status read_mapped(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct source_bytes *s = arg;

	while (len) {
		enum status status = check_stop(s, e);
		struct copying c = { .dst = dst };

		if (!status)
			status = map_piece(s, offset, e);
		if (status)
			return status;
		c.from = s->mapped + (offset - s->begin);
		c.len = min_u64(len, s->held - (offset - s->begin));
		if (!sigbus_survive(copy, &c)) {
			status = read_page(s, offset, e);
			if (status)
				return status;
			continue;
		}
		offset += c.len;
		dst += c.len;
		len -= c.len;
	}
	return STATUS_OK;
}

/* To where the caller wants them, or from where the source has them in memory. */
static enum status read_bytes(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct source_bytes *s = arg;

	while (len) {
		struct error why;
		const uint8_t *from;
		enum status status;
		size_t got;

		status = check_stop(s, e);
		if (status)
			return status;
		s->reader.destination = dst;
		status = source_get(&s->reader, offset, len, &from, &got, &why);
		/* As for read_page(). */
		if (status)
			status = source_get_carefully(&s->reader, offset, len, &from, &got, &why);
		if (status)
			return unreadable(status, s->reader.source, &why, e);
		if (from != dst)
			memcpy(dst, from, got);
		offset += got;
		dst += got;
		len -= got;
	}
	return STATUS_OK;
}

size_t source_bytes_memory(const struct source *source)
{
	return (size_t)SMALL_READS_PIECES * SMALL_READS_PIECE +
	       source_reader_memory(source, UNIT, WINDOW, READ_TO_CALLER);
}

enum status source_bytes_open(struct source_bytes *s, struct source *source,
			      struct core_bytes *bytes, struct error *e)
{
	const struct core_bytes all = {
		.size = source->size,
		.read = source->may_fault ? read_mapped : read_bytes,
		.arg = s,
	};
	enum status status;

	*s = (struct source_bytes){ 0 };
	status = source_reader_init(&s->reader, source, UNIT, WINDOW, READ_TO_CALLER, e);
	/* What a mapped source reads instead goes to s->page. */
	if (source->may_fault)
		s->reader.buffer_size = sizeof(s->page);
	return status ? status : small_reads_open(&s->small, &all, bytes, e);
}

void source_bytes_close(struct source_bytes *s)
{
	small_reads_close(&s->small);
	source_reader_free(&s->reader);
}
