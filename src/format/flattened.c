// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "format/flattened.h"

enum {
	BUFFER_MIN = 1 << 20,
	BUFFER_MAX = 16 << 20,
	PIECES = 90000,
};

static void put_be64(uint8_t *dst, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		dst[i] = (uint8_t)(v >> (56 - 8 * i));
}

size_t flattened_buffer(uint64_t length)
{
	return round_up(max_u64(BUFFER_MIN, min_u64(BUFFER_MAX, length / PIECES)), ALIGNMENT);
}

enum status flattened_init(struct flattened *f, flattened_append *append, void *arg, const char *name, size_t buffer,
			   struct error *e)
{
	*f = (struct flattened){ .append = append, .arg = arg, .size = buffer };
	f->buffer = memory_to_read(buffer);
	return f->buffer ? STATUS_OK : error_system(e, ENOMEM, "%s: buffer of %zu bytes", name, buffer);
}

void flattened_free(struct flattened *f)
{
	free(f->buffer);
	f->buffer = NULL;
}

static void close_piece(struct flattened *f)
{
	if (f->open)
		put_be64(f->buffer + f->piece + 8, f->filled - f->piece - FLATTENED_PIECE_HEADER);
	f->open = false;
}

enum status flattened_flush(struct flattened *f, struct error *e)
{
	size_t whole = round_down(f->filled, ALIGNMENT);

	close_piece(f);
	if (whole && f->append(f->arg, f->buffer, whole, e))
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
	f->filled += FLATTENED_PIECE_HEADER;
	f->end = offset;
	f->open = true;
}

enum status flattened_begin(struct flattened *f, struct error *e)
{
	if (f->digests)
		digest_begin(&f->digest);
	memset(f->buffer, 0, FLATTENED_HEADER);
	strcpy((char *)f->buffer, FLATTENED_SIGNATURE);
	put_be64(f->buffer + 16, 1);		/* type */
	put_be64(f->buffer + 24, 1);		/* version */
	f->filled = FLATTENED_HEADER;
	return flattened_flush(f, e);
}

enum status flattened_write(struct flattened *f, uint64_t offset, const uint8_t *bytes, size_t len, struct error *e)
{
	while (len) {
		bool follows = f->open && offset == f->end;
		size_t some;

		if (f->filled + (follows ? 0 : FLATTENED_PIECE_HEADER) >= f->size) {
			if (flattened_flush(f, e))
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

enum { LATER = 4 };		/* bytes */

enum status flattened_write_head(struct flattened *f, const uint8_t *bytes, size_t len, uint64_t later, struct error *e)
{
	uint64_t next = later ? later + LATER : 0;
	enum status status = flattened_write(f, 0, bytes, later, e);

	return status ? status : flattened_write(f, next, bytes + next, len - next, e);
}

enum status flattened_end(struct flattened *f, struct error *e)
{
	enum status status = flattened_flush(f, e);

	if (status)
		return status;
	put_be64(f->buffer + f->filled, UINT64_MAX);
	put_be64(f->buffer + f->filled + 8, UINT64_MAX);
	f->filled += FLATTENED_PIECE_HEADER;
	/* Readers stop at the end, and ignore what follows. */
	memset(f->buffer + f->filled, 0, round_up(f->filled, ALIGNMENT) - f->filled);
	f->filled = round_up(f->filled, ALIGNMENT);
	return flattened_flush(f, e);
}
