// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alignment.h"
#include "base/array.h"
#include "base/bytes.h"
#include "io/transfer.h"
#include "set/dump_flat.h"

/*
 * makedumpfile makes one for 32 KiB on average.  A piece takes 24 bytes of memory, and 24 more while
 * they are sorted.
 */
enum { PIECES_ALWAYS = 1 << 16, PIECE_LEAST = 512 };

static uint64_t get_be64(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return be64toh(value);
}

bool dump_piece_decode(struct dump_piece *piece, const uint8_t raw[DUMP_PIECE_HEADER])
{
	*piece = (struct dump_piece){ get_be64(raw), get_be64(raw + 8), 0 };
	return piece->offset == UINT64_MAX && piece->length == UINT64_MAX;
}

bool dump_piece_is_possible(const struct dump_piece *piece)
{
	return piece->length && piece->offset <= OFFSET_MAX && piece->length <= OFFSET_MAX - piece->offset;
}

/* The pieces before count. */
static enum status end_early(struct dump_file *f, const struct error *why, struct error *e)
{
	f->damage = strdup(why->text);
	return f->damage ? STATUS_OK : error_system(e, ENOMEM, "%s", f->name);
}

enum status dump_file_end_at_wrong_piece(struct dump_file *f, uint64_t at, struct error *e)
{
	error_set(e, STATUS_DAMAGED, "%s: damaged at byte %" PRIu64 ": not the header of a piece of a flattened "
		  "dump; what follows it cannot be read", f->name, at);
	return end_early(f, e, e);
}

static enum status end_at_error(struct dump_file *f, uint64_t at, int errnum, struct error *e)
{
	error_system(e, errnum, "%s: what follows byte %" PRIu64 " of the flattened dump cannot be read", f->name,
		     at);
	return end_early(f, e, e);
}

enum status dump_file_add_piece(struct dump_file *f, const struct dump_piece *piece, struct error *e)
{
	struct dump_piece *last = f->count ? &f->pieces[f->count - 1] : NULL;

	f->bytes += piece->length;
	/* The same limit for a file and for a stream, in whose copy pieces are joined. */
	if (f->found++ >= PIECES_ALWAYS + f->bytes / PIECE_LEAST)
		return error_set(e, STATUS_DAMAGED, "%s: damaged: the flattened dump has more pieces than any "
				 "writer makes", f->name);
	f->size = max_u64(f->size, piece->offset + piece->length);
	if (last && last->offset + last->length == piece->offset && last->at + last->length == piece->at) {
		last->length += piece->length;
		return STATUS_OK;
	}
	if (!array_grow(&f->pieces, f->count, sizeof(*f->pieces)))
		return error_system(e, ENOMEM, "%s: list of its pieces", f->name);
	f->pieces[f->count++] = *piece;
	return STATUS_OK;
}

enum status dump_file_find_pieces(struct dump_file *f, struct error *e)
{
	uint64_t at = DUMP_FLAT_HEADER;

	for (;;) {
		uint8_t header[DUMP_PIECE_HEADER];
		struct dump_piece piece;
		enum status status;

		if (transfer_pread(f->fd, header, sizeof(header), at) < sizeof(header)) {
			f->cut = !errno;
			return errno ? end_at_error(f, at, errno, e) : STATUS_OK;
		}
		if (dump_piece_decode(&piece, header))
			return STATUS_OK;
		if (!dump_piece_is_possible(&piece))
			return dump_file_end_at_wrong_piece(f, at, e);
		piece.at = at + sizeof(header);
		at = piece.at + piece.length;
		piece.length = min_u64(piece.length, f->file_size - min_u64(f->file_size, piece.at));
		status = piece.length ? dump_file_add_piece(f, &piece, e) : STATUS_OK;
		if (status)
			return status;
	}
}

/* By offset; of the same offset, the later one first. */
static int by_offset(const void *a, const void *b)
{
	const struct dump_piece *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->at < y->at) - (x->at > y->at);
}

/* A heap of pieces that have begun; the latest one, which counts, is the root. */
struct begun {
	const struct dump_piece **heap;
	size_t count;
};

static void sift_down(struct begun *b)
{
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;
		const struct dump_piece *piece = b->heap[i];

		if (child + 1 < b->count && b->heap[child + 1]->at > b->heap[child]->at)
			child++;
		if (child >= b->count || b->heap[child]->at < piece->at)
			return;
		b->heap[i] = b->heap[child];
		b->heap[child] = piece;
		i = child;
	}
}

static void begin_piece(struct begun *b, const struct dump_piece *piece)
{
	size_t i = b->count++;

	for (; i && b->heap[(i - 1) / 2]->at < piece->at; i = (i - 1) / 2)
		b->heap[i] = b->heap[(i - 1) / 2];
	b->heap[i] = piece;
}

/* Removes pieces that end at or before an offset from the root. */
static void end_pieces(struct begun *b, uint64_t offset)
{
	while (b->count && b->heap[0]->offset + b->heap[0]->length <= offset) {
		b->heap[0] = b->heap[--b->count];
		sift_down(b);
	}
}

static enum status add_part(struct dump_file *to, const struct dump_piece *piece, uint64_t from, uint64_t end,
			    struct error *e)
{
	const struct dump_piece part = { from, end - from, piece->at + (from - piece->offset) };

	/* Overlaps make up to twice as many. */
	if (!array_grow(&to->pieces, to->count, sizeof(*to->pieces)))
		return error_system(e, ENOMEM, "%s: list of its pieces", to->name);
	to->pieces[to->count++] = part;
	return STATUS_OK;
}

enum status dump_file_end_pieces(struct dump_file *f, struct error *e)
{
	struct dump_file kept = { .name = f->name };
	struct begun b = { .heap = calloc(f->count + 1, sizeof(struct dump_piece *)) };
	enum status status = b.heap ? STATUS_OK : error_system(e, ENOMEM, "%s: list of its pieces", f->name);
	uint64_t at = 0;

	if (f->count)
		qsort(f->pieces, f->count, sizeof(*f->pieces), by_offset);
	for (size_t i = 0; !status && (i < f->count || b.count); ) {
		uint64_t next = i < f->count ? f->pieces[i].offset : UINT64_MAX;

		if (b.count) {
			uint64_t end = min_u64(next, b.heap[0]->offset + b.heap[0]->length);

			if (at < end)
				status = add_part(&kept, b.heap[0], at, end, e);
			at = end;
		} else {
			at = next;
		}
		end_pieces(&b, at);
		while (i < f->count && f->pieces[i].offset == at)
			begin_piece(&b, &f->pieces[i++]);
	}
	free(b.heap);
	free(f->pieces);
	f->pieces = kept.pieces;
	f->count = kept.count;
	return status;
}
