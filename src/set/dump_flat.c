// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the pieces of a flattened dump (set/dump_file.h), and removes overlaps. */
#include "config.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "format/flattened.h"
#include "io/transfer.h"
#include "set/dump_file.h"

/*
 * makedumpfile makes one for 32 KiB on average.  A piece takes 32 bytes of memory, and 32 more while
 * overlaps are removed.
 */
enum { PIECES_ALWAYS = 1 << 16, PIECE_LEAST = 512 };
/* Headers and bitmaps begin at a multiple of this. */
enum { BLOCK = 4096, HEADER_MAX = 464 };

static uint64_t get_be64(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return be64toh(value);
}

/* Decodes offset and length of a piece; true: it is the mark of the end. */
static bool dump_piece_decode(struct dump_piece *piece, const uint8_t raw[FLATTENED_PIECE_HEADER])
{
	*piece = (struct dump_piece){ .offset = get_be64(raw), .length = get_be64(raw + 8) };
	return piece->offset == UINT64_MAX && piece->length == UINT64_MAX;
}

/* False: no file can have it, or it is empty, which no writer makes. */
static bool dump_piece_is_possible(const struct dump_piece *piece)
{
	/* Writers make pieces of some MiB at most; if a length before was wrong, other bytes are taken for a header. */
	const uint64_t longest = (uint64_t)1 << 40;

	return piece->length && piece->length <= longest && piece->offset <= OFFSET_MAX && piece->length <= OFFSET_MAX - piece->offset;
}

/* *e says why the pieces up to the end are not known. */
static enum status end_early(struct dump_file *f, struct error *e)
{
	f->damage = strdup(e->text);
	return f->damage ? STATUS_OK : error_system(e, ENOMEM, "%s", f->name);
}

static enum status add_piece(struct dump_file *f, const struct dump_piece *piece, struct error *e)
{
	struct dump_piece *last;

	f->bytes += piece->length;
	if (f->count >= PIECES_ALWAYS + f->bytes / PIECE_LEAST)
		return error_set(e, STATUS_DAMAGED, "%s: damaged: the flattened dump has more pieces than any "
				 "writer makes", f->name);
	if (!array_grow(&f->pieces, f->count, sizeof(*f->pieces)))
		return error_system(e, ENOMEM, "%s: list of its pieces", f->name);
	last = f->count ? &f->pieces[f->count - 1] : NULL;
	f->pieces[f->count] = *piece;
	if (last && last->offset + last->length == piece->offset)
		last->linked = f->pieces[f->count].linked = true;
	f->count++;
	return STATUS_OK;
}

/* By offset; of the same offset, the later one first. */
static int by_offset(const void *a, const void *b)
{
	const struct dump_piece *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->at < y->at) - (x->at > y->at);
}

static uint64_t end_of(const struct dump_piece *piece)
{
	return piece->offset + piece->length;
}

/* --- the pieces, in the order of the file ---------------------------------------------- */

/* A header that no writer makes ends the dump, as for makedumpfile -R: nothing says where the next piece begins. */
static enum status find_pieces(struct dump_file *f, struct error *e)
{
	uint64_t at = FLATTENED_HEADER;
	enum status status = STATUS_OK;

	while (!status) {
		uint8_t header[FLATTENED_PIECE_HEADER];
		struct dump_piece piece;

		if (transfer_pread(f->fd, header, sizeof(header), at) < sizeof(header)) {
			f->cut = !errno;
			if (f->cut)
				break;
			error_system(e, errno, "%s: what follows byte %" PRIu64 " of the flattened dump cannot be read",
				     f->name, at);
			return end_early(f, e);
		}
		if (dump_piece_decode(&piece, header))
			break;
		if (!dump_piece_is_possible(&piece)) {
			error_set(e, STATUS_DAMAGED, "%s: damaged at byte %" PRIu64 ": not the header of a piece of a "
				  "flattened dump; what follows it cannot be read", f->name, at);
			return end_early(f, e);
		}
		piece.at = at + sizeof(header);
		at = piece.at + piece.length;
		piece.length = min_u64(piece.length, f->file_size - min_u64(f->file_size, piece.at));
		status = piece.length ? add_piece(f, &piece, e) : STATUS_OK;
	}
	return status;
}

/*
 * Does one of the pieces next to it in the file, or near that, continue it in the dump, or is continued by it?  Pages and
 * their descriptors alternate.
 */
static bool is_attached(const struct dump_file *f, size_t i)
{
	enum { NEAR = 3 };
	const struct dump_piece *piece = &f->pieces[i];
	bool attached = piece->linked;

	for (size_t k = i > NEAR ? i - NEAR : 0; k < min_u64(f->count, i + NEAR + 1) && !attached; k++)
		attached = k < i ? end_of(&f->pieces[k]) == piece->offset : k > i && f->pieces[k].offset == end_of(piece);
	return attached;
}

/* --- overlaps -------------------------------------------------------------------------- */

/* The list without overlaps, as far as it has been made. */
struct flat_list {
	struct dump_file *f;
	struct dump_piece *pieces;
	size_t count;
	uint64_t doubtful;		/* bytes before this offset do not count in pieces that follow */
	uint64_t overlaps, first;	/* how many there are; the lowest byte */
};

static bool keep_piece(struct flat_list *l, struct dump_piece piece, uint64_t from)
{
	if (piece.offset < from) {
		piece.length -= min_u64(from - piece.offset, piece.length);
		piece.at += from - piece.offset;
		piece.offset = from;
	}
	if (!piece.length)
		return true;
	if (!array_grow(&l->pieces, l->count, sizeof(*l->pieces)))
		return false;
	l->pieces[l->count++] = piece;
	return true;
}

/*
 * Was it written again?  makedumpfile does so with the program headers of a core, and with the second header of a dump,
 * which is at the beginning of a block, once it knows where the erase information is.  What is longer is written as
 * several pieces, as it was before.
 */
static bool was_rewritten(const struct dump_piece *later, const struct dump_piece *before)
{
	enum { BLOCK_MAX = 65536 };
	uint64_t offset = later->offset;
	bool is_block = offset % BLOCK == 0 && offset <= BLOCK_MAX && (offset & (offset - 1)) == 0 &&
			(offset || before->length != HEADER_MAX || later->length == HEADER_MAX);

	return later->at > before->at && ((later->linked && before->linked) || (is_block && later->length <= HEADER_MAX) ||
					  (offset == sizeof(Elf64_Ehdr) && later->length <= BLOCK_MAX));
}

/*
 * The last piece and one that begins in it.  A writer continues what it has begun: a piece that neither continues the one
 * before it in the file, nor is continued by the next one, is the one whose offset is wrong, so none of its bytes count.
 * If that does not tell, the bytes that both have are missing: other readers take the later ones, which may be the wrong
 * ones.
 */
static bool take_overlap(struct flat_list *l, const struct dump_piece *piece)
{
	struct dump_piece *last = &l->pieces[l->count - 1], rest = *last;
	uint64_t from = piece->offset, end = min_u64(end_of(last), end_of(piece));

	if (was_rewritten(last, piece))
		return keep_piece(l, *piece, end_of(last));
	if (was_rewritten(piece, last)) {
		last->length = from - last->offset;
		return keep_piece(l, *piece, 0) && keep_piece(l, rest, end_of(piece));
	}
	if (!l->overlaps++)
		l->first = from;
	if (last->attached && !piece->attached)
		return true;
	if (piece->attached && !last->attached) {
		l->count--;
		return keep_piece(l, *piece, l->doubtful);
	}
	/* The header of a dump has one length. */
	if (!from && piece->length == HEADER_MAX && last->length < HEADER_MAX) {
		l->count--;
		return keep_piece(l, *piece, l->doubtful);
	}
	/* Of two bitmaps in one block, the later one, as other readers do: pages and descriptors are not so short. */
	if (from % BLOCK == 0 && from == last->offset && piece->length == last->length && piece->length < BLOCK)
		return true;
	last->length = from - last->offset;
	l->count -= !last->length;
	l->doubtful = end;
	return keep_piece(l, end_of(&rest) > end ? rest : *piece, end);
}

enum status dump_file_find_pieces(struct dump_file *f, struct error *e)
{
	struct flat_list l = { .f = f };
	enum status status = find_pieces(f, e);
	bool good = true;

	if (status)
		return status;
	for (size_t i = 0; i < f->count; i++) {
		f->pieces[i].attached = is_attached(f, i);
		f->size = max_u64(f->size, end_of(&f->pieces[i]));
	}
	if (f->count)
		qsort(f->pieces, f->count, sizeof(*f->pieces), by_offset);
	for (size_t i = 0; i < f->count && good; i++) {
		const struct dump_piece *piece = &f->pieces[i];
		bool overlaps = l.count && piece->offset < end_of(&l.pieces[l.count - 1]);

		good = overlaps ? take_overlap(&l, piece) : keep_piece(&l, *piece, l.doubtful);
	}
	free(f->pieces);
	f->pieces = l.pieces;
	f->count = l.count;
	if (!good)
		return error_system(e, ENOMEM, "%s: list of its pieces", f->name);
	if (!l.overlaps)
		return STATUS_OK;
	error_set(e, STATUS_DAMAGED, "%s: damaged: %" PRIu64 " piece%s of the flattened dump overlap%s others, from byte %"
		  PRIu64 " of the dump on; pages whose bytes are uncertain are missing", f->name,
		  l.overlaps, l.overlaps == 1 ? "" : "s", l.overlaps == 1 ? "s" : "", l.first);
	return names_append(&f->findings, e->text, SIZE_MAX, e);
}

bool dump_file_fill_holes(struct dump_file *f, const struct range_list *data)
{
	struct flat_list l = { .f = f };
	uint64_t at = 0;
	bool good = true;

	for (size_t i = 0; i < f->count && good; i++) {
		const struct dump_piece *piece = &f->pieces[i];
		uint64_t length;

		for (; good && range_list_gap(data, &at, piece->offset, &length); at += length)
			good = keep_piece(&l, (struct dump_piece){ at, length, DUMP_ZEROS, false, false }, 0);
		good = good && keep_piece(&l, *piece, 0);
		at = end_of(piece);
	}
	free(f->pieces);
	f->pieces = l.pieces;
	f->count = l.count;
	return good;
}
