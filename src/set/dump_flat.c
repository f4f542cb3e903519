// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the pieces of a flattened dump (set/dump_file.h), also behind damaged headers, and removes overlaps. */
#include "config.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/text.h"
#include "format/flattened.h"
#include "io/transfer.h"
#include "set/dump_file.h"

/*
 * makedumpfile makes one for 32 KiB on average.  A piece takes 32 bytes of memory, and 32 more while
 * overlaps are removed.
 */
enum { PIECES_ALWAYS = 1 << 16, PIECE_LEAST = 512 };
/* No writer makes longer ones; others are accepted, but not searched. */
enum { PIECE_MOST = 64 << 20 };
/* The offset of a piece that is not known: no piece begins at the last byte that a file can have. */
#define NOWHERE OFFSET_MAX

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

/* --- pieces with a wrong offset ------------------------------------------------------ */

/* The piece is between these in the file, or next to them: pages and their descriptors alternate. */
enum { NEAR = 3 };
/* Headers and bitmaps begin at a multiple of this. */
enum { BLOCK = 4096, HEADER_MAX = 464 };

static size_t near_begin(size_t i)
{
	return i > NEAR ? i - NEAR : 0;
}

static size_t near_end(const struct dump_file *f, size_t i)
{
	return min_u64(f->count, i + NEAR + 1);
}

/* Does a piece before it in the file, of those from a number on, end where the piece begins? */
static bool continues(const struct dump_file *f, size_t i, size_t from)
{
	for (; from < i; from++)
		if (end_of(&f->pieces[from]) == f->pieces[i].offset)
			return true;
	return false;
}

/* Does one behind it begin where the piece ends? */
static bool is_continued(const struct dump_file *f, size_t i, size_t to)
{
	while (--to > i)
		if (f->pieces[to].offset == end_of(&f->pieces[i]))
			return true;
	return false;
}

/* How many of both ends of a piece are those of pieces near it. */
static unsigned count_ends(const struct dump_file *f, size_t i)
{
	return continues(f, i, near_begin(i)) + is_continued(f, i, near_end(f, i));
}

static bool is_attached(const struct dump_file *f, size_t i)
{
	return f->pieces[i].linked || count_ends(f, i);
}

/* Is no other piece there?  *twice: one is at the same place. */
static bool is_free(const struct dump_file *f, size_t i, uint64_t offset, bool *twice)
{
	uint64_t length = f->pieces[i].length;
	bool free = true;

	*twice = false;
	for (size_t k = 0; k < f->count && !*twice; k++) {
		const struct dump_piece *other = &f->pieces[k];

		if (k == i || other->offset >= offset + length || end_of(other) <= offset)
			continue;
		free = false;
		*twice = other->offset == offset && other->length == length;
	}
	return free;
}

/* A place of which the piece before and the one behind it are there. */
static bool find_gap(const struct dump_file *f, size_t i, uint64_t *place)
{
	bool twice;

	for (size_t k = near_begin(i); k < i; k++)
		for (size_t m = i + 1; m < near_end(f, i); m++) {
			*place = end_of(&f->pieces[k]);
			if (f->pieces[m].offset == *place + f->pieces[i].length && is_free(f, i, *place, &twice))
				return true;
		}
	return false;
}

/*
 * The header of a piece may be damaged.  A writer continues what it has written shortly before, so the place of a piece
 * is known, as long as the piece itself is whole.
 */
static enum status mend_offsets(struct dump_file *f, struct error *e)
{
	enum { TRIED_MAX = 64 };
	size_t mended = 0, tried = 0, kept = 0, alone = 0;
	uint64_t first = NOWHERE;

	for (size_t i = 0; i < f->count; i++)
		alone += !is_attached(f, i);
	for (size_t i = 0; i < f->count; i++) {
		struct dump_piece *p = &f->pieces[i];
		bool twice, free;
		uint64_t place;

		p->attached = is_attached(f, i);
		if (count_ends(f, i) == 2)
			continue;
		if (tried++ >= TRIED_MAX)
			continue;
		free = is_free(f, i, p->offset, &twice);
		/* Of a file that has holes, and is shuffled, pieces are alone in their places. */
		if ((p->attached && !twice) ||
		    (free && (alone > max_u64(8, f->count / 2) || continues(f, i, 0) || is_continued(f, i, f->count))))
			continue;
		if (!find_gap(f, i, &place))
			continue;
		if (!mended++)
			first = place;
		p->offset = place;
		p->attached = true;
	}
	for (size_t i = 0; i < f->count; i++)
		if (f->pieces[i].offset != NOWHERE) {
			f->size = max_u64(f->size, end_of(&f->pieces[i]));
			f->pieces[kept++] = f->pieces[i];
		}
	f->count = kept;
	if (!mended)
		return STATUS_OK;
	error_set(e, STATUS_DAMAGED, "%s: damaged: the offset of %zu piece%s of the flattened dump; %s between others, from byte "
		  "%" PRIu64 " of the dump on", f->name, mended, plural(mended),
		  mended == 1 ? "it is used where it fits" : "they are used where they fit", first);
	return names_append(&f->findings, e->text, SIZE_MAX, e);
}

/* --- behind a header that is damaged ------------------------------------------------- */

/* What is at a byte of the file. */
enum found { FOUND_PIECE, FOUND_MARK, FOUND_OTHER, FOUND_END };

static enum found find_header(const struct dump_file *f, uint64_t at, struct dump_piece *piece)
{
	uint8_t header[FLATTENED_PIECE_HEADER];

	if (transfer_pread(f->fd, header, sizeof(header), at) < sizeof(header))
		return FOUND_END;
	if (dump_piece_decode(piece, header))
		return FOUND_MARK;
	piece->at = at + sizeof(header);
	return dump_piece_is_possible(piece) ? FOUND_PIECE : FOUND_OTHER;
}

/*
 * Do several pieces begin there, or is it the mark of the end?  Memory has many numbers that could be a header, but seldom
 * some that lead from one to the next.
 */
static bool is_sequence(const struct dump_file *f, uint64_t at)
{
	enum { SEQUENCE = 5 };
	struct dump_piece piece, before = { .length = 0 };

	for (unsigned i = 0; i < SEQUENCE; i++) {
		switch (find_header(f, at, &piece)) {
		case FOUND_MARK:
			return i > 1 || at + FLATTENED_PIECE_HEADER == f->file_size;
		case FOUND_PIECE:
			break;
		default:
			return false;
		}
		/* No writer writes the same bytes twice in a row. */
		if (piece.length > PIECE_MOST ||
		    (piece.offset < end_of(&before) && before.offset < end_of(&piece)))
			return false;
		before = piece;
		at = piece.at + piece.length;
	}
	return true;
}

/* The next one from a byte on, and not far behind another byte; 0: there is none. */
static uint64_t find_sequence(const struct dump_file *f, uint64_t from, uint64_t at)
{
	enum { STEP = 65536, HEADERS_MAX = 1 << 18 };
	uint8_t *bytes = malloc(STEP + FLATTENED_PIECE_HEADER);
	uint64_t end = min_u64(f->file_size, at + PIECE_MOST), next = 0;
	size_t tried = 0;

	/* Memory may be full of numbers that could be headers: nobody waits minutes for that. */
	for (; bytes && from < end && !next && tried < HEADERS_MAX; from += STEP) {
		size_t got = transfer_pread(f->fd, bytes, STEP + FLATTENED_PIECE_HEADER, from);

		for (size_t i = 0; i + FLATTENED_PIECE_HEADER <= got && !next; i++) {
			struct dump_piece piece;
			bool mark = dump_piece_decode(&piece, bytes + i);

			if (!mark && (!dump_piece_is_possible(&piece) || piece.length > PIECE_MOST))
				continue;
			tried++;
			if (is_sequence(f, from + i))
				next = from + i;
		}
	}
	free(bytes);
	return next;
}

/* Does one of the next pieces of the file begin at an offset? */
static bool is_continued_at(const struct dump_file *f, uint64_t offset, uint64_t at)
{
	struct dump_piece piece;

	for (unsigned i = 0; i < NEAR && find_header(f, at, &piece) == FOUND_PIECE; i++) {
		if (piece.offset == offset)
			return true;
		at = piece.at + piece.length;
	}
	return false;
}

/*
 * The header before next is damaged, or the length of the piece before it, which led to a byte of that piece, or behind its
 * end.  The length of the piece is known now, but its offset only if others continue there.  *at is where it was.
 */
static enum status take_damaged(struct dump_file *f, uint64_t *at, uint64_t next, struct error *e)
{
	struct dump_piece piece, *last;
	enum status status;
	size_t i;

	/* Behind a wrong length, other bytes may have been taken for headers. */
	for (; f->count && f->pieces[f->count - 1].at > next; f->count--)
		f->bytes -= f->pieces[f->count - 1].length;
	last = f->count ? &f->pieces[f->count - 1] : NULL;
	*at = last ? last->at + last->length : FLATTENED_HEADER;
	if (last && (next < *at || is_continued_at(f, last->offset + (next - last->at), next))) {
		f->bytes += next - *at;
		last->length = next - last->at;
		f->count -= !last->length;
		return STATUS_OK;
	}
	find_header(f, *at, &piece);
	piece.at = *at + FLATTENED_PIECE_HEADER;
	if (next <= piece.at)
		return STATUS_OK;
	piece.offset = min_u64(piece.offset & OFFSET_MAX, NOWHERE - 1);
	piece.length = next - piece.at;
	status = add_piece(f, &piece, e);
	i = f->count - 1;
	/* The first piece is that of the header. */
	if (!status && (i || piece.offset) && !continues(f, i, near_begin(i)) && !is_continued_at(f, end_of(&piece), next))
		f->pieces[i].offset = NOWHERE;
	return status;
}

static enum status find_pieces(struct dump_file *f, struct error *e)
{
	uint64_t at = FLATTENED_HEADER, damaged = 0, first = 0, next;
	enum status status = STATUS_OK;

	while (!status) {
		struct dump_piece piece;
		enum found found = find_header(f, at, &piece);
		int errnum = errno;

		if (found == FOUND_MARK)
			break;
		if (found == FOUND_PIECE) {
			at = piece.at + piece.length;
			piece.length = min_u64(piece.length, f->file_size - min_u64(f->file_size, piece.at));
			status = piece.length ? add_piece(f, &piece, e) : STATUS_OK;
			continue;
		}
		if (found == FOUND_END && errnum) {
			error_system(e, errnum, "%s: what follows byte %" PRIu64 " of the flattened dump cannot be read",
				     f->name, at);
			status = end_early(f, e);
			break;
		}
		next = find_sequence(f, f->count ? f->pieces[near_begin(f->count)].at : at + 1, at);
		if (!next) {
			f->cut = found == FOUND_END;
			if (f->cut)
				break;
			error_set(e, STATUS_DAMAGED, "%s: damaged at byte %" PRIu64 ": not the header of a piece of a "
				  "flattened dump; what follows it cannot be read", f->name, at);
			status = end_early(f, e);
			break;
		}
		status = take_damaged(f, &at, next, e);
		first = damaged++ ? first : min_u64(at, next);
		at = next;
	}
	if (status || !damaged)
		return status;
	error_set(e, STATUS_DAMAGED, "%s: damaged: the header%s of %" PRIu64 " piece%s of the flattened dump, from byte %" PRIu64
		  " of the file on; what follows was found", f->name, plural(damaged), damaged, plural(damaged), first);
	return names_append(&f->findings, e->text, SIZE_MAX, e);
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

	if (!status)
		status = mend_offsets(f, e);
	if (status)
		return status;
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
		  PRIu64 " of the dump on; pages count only as far as it is known which bytes are theirs", f->name,
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
