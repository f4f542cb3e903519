// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/transfer.h"
#include "set/scan.h"

enum { PART = 256 * 1024 };

enum status piece_search_init(struct piece_search *s, struct error *e)
{
	*s = (struct piece_search){ .bytes = malloc(PART) };
	return s->bytes ? STATUS_OK : error_system(e, ENOMEM, "buffer to search a member");
}

void piece_search_free(struct piece_search *s)
{
	free(s->bytes);
	s->bytes = NULL;
}

uint64_t piece_search_data(const struct member *m, uint64_t offset)
{
	off_t data = lseek(m->fd, (off_t)offset, SEEK_DATA);

	if (data < 0 && errno == ENXIO)
		return max_u64(offset, round_down(m->size, ALIGNMENT));
	/* Devices and some file systems do not report holes. */
	return data < 0 ? offset : max_u64(offset, round_down((uint64_t)data, ALIGNMENT));
}

static bool holds(const struct piece_search *s, uint64_t offset)
{
	return offset >= s->offset && offset - s->offset + ALIGNMENT <= s->length;
}

size_t piece_search_read(struct piece_search *s, const struct member *m, uint64_t offset,
			 bool sequential, uint8_t unit[ALIGNMENT])
{
	size_t got;

	if (!holds(s, offset)) {
		s->offset = offset;
		s->length = transfer_pread(m->fd, s->bytes, sequential ? PART : ALIGNMENT, offset);
	}
	/* If the unit is incomplete, errno is still that of the read. */
	got = min_u64(s->length, ALIGNMENT);
	if (!holds(s, offset))
		return got;
	memcpy(unit, s->bytes + (offset - s->offset), ALIGNMENT);
	return ALIGNMENT;
}

void scan_init(struct scan *scan, struct member *member, bool past_damage)
{
	scan->member = member;
	scan->position = SUPERBLOCK_LENGTH;
	scan->skip = 0;
	scan->past_damage = past_damage;
	scan->in_damage = false;
	scan->damaged = NULL;
	scan->wake_fd = -1;
	scan->search = NULL;
	scan->searched = NULL;
	scan->counted = SUPERBLOCK_LENGTH;
}

static size_t read_stream(const struct scan *scan, void *bytes, size_t len)
{
	return transfer_read_until(scan->member->fd, bytes, len, scan->wake_fd);
}

static enum status skip_bytes(struct scan *scan, struct error *e)
{
	uint8_t discard[ALIGNMENT];

	for (; scan->skip; scan->skip -= ALIGNMENT)
		if (read_stream(scan, discard, ALIGNMENT) < ALIGNMENT)
			return errno ? error_system(e, errno, "%s: at byte %" PRIu64,
						    scan->member->name,
						    scan->position - scan->skip)
				     : STATUS_CUT;
	return STATUS_OK;
}

/* After damage, there may be a hole, or a large part without pieces. */
static size_t search_unit(struct scan *scan)
{
	const struct member *m = scan->member;

	if (scan->in_damage)
		scan->position = piece_search_data(m, scan->position);
	if (scan->searched)
		atomic_fetch_add(scan->searched, scan->position - scan->counted);
	scan->counted = scan->position;
	return piece_search_read(scan->search, m, scan->position, scan->in_damage, scan->unit);
}

/* STATUS_END: the member ends.  STATUS_CUT: it ends within the unit. */
static enum status read_unit(struct scan *scan, struct error *e)
{
	struct member *m = scan->member;
	enum status status;
	size_t got;

	if (m->is_stream) {
		status = skip_bytes(scan, e);
		if (status)
			return status;
		got = read_stream(scan, scan->unit, ALIGNMENT);
	} else if (scan->search) {
		got = search_unit(scan);
	} else {
		got = transfer_pread(m->fd, scan->unit, ALIGNMENT, scan->position);
	}
	if (got == ALIGNMENT)
		return STATUS_OK;
	if (errno)
		return error_system(e, errno, "%s: at byte %" PRIu64, m->name, scan->position);
	return got ? STATUS_CUT : STATUS_END;
}

/* To the end of the piece at position, whose first unit has been read. */
static void advance(struct scan *scan, uint64_t length)
{
	scan->position += length;
	scan->skip = scan->member->is_stream ? length - ALIGNMENT : 0;
}

static enum status take_record(struct scan *scan, struct record *record, uint64_t *offset,
			       const char **what)
{
	struct member *m = scan->member;
	enum status status = member_decode_record(m, scan->unit, m->superblock.chunk_size, record);

	*what = "record";
	if (!status && !m->is_stream &&
	    record_length(record) > m->size - scan->position)
		status = STATUS_CUT;
	if (status)
		return status;
	*offset = scan->position;
	advance(scan, record_length(record));
	class_table_merge(&m->classes, &record->classes);
	/* A record after a footer supersedes the footer. */
	m->has_footer = false;
	return STATUS_OK;
}

static enum status take_index(struct scan *scan, const char **what)
{
	struct index_header header;
	enum status status = index_header_decode(&header, scan->unit);

	*what = "index segment";
	if (!status && !capture_id_equal(&header.id, &scan->member->superblock.id))
		status = STATUS_FOREIGN;
	if (!status)
		advance(scan, header.length);
	return status;
}

static enum status take_footer(struct scan *scan, const char **what)
{
	struct member *m = scan->member;
	struct footer footer;
	enum status status = footer_decode(&footer, scan->unit);

	*what = "footer";
	if (!status && !member_owns_footer(m, &footer))
		status = STATUS_FOREIGN;
	/* The copy at the end of a device has another offset, and does not end the member. */
	if (!status && footer.offset == scan->position)
		member_take_footer(m, &footer);
	if (!status)
		advance(scan, FOOTER_LENGTH);
	return status;
}

/* *found: it is a record.  Any other piece is processed here. */
static enum status take_piece(struct scan *scan, struct record *record, uint64_t *offset,
			      bool *found, const char **what)
{
	enum status status;

	*found = false;
	switch (piece_kind(scan->unit)) {
	case PIECE_RECORD:
		status = take_record(scan, record, offset, what);
		*found = status == STATUS_OK;
		return status;
	case PIECE_INDEX:
		return take_index(scan, what);
	case PIECE_FOOTER:
		return take_footer(scan, what);
	default:
		*what = "not a piece of a member";
		return STATUS_DAMAGED;
	}
}

static enum status end_of_member(const struct scan *scan, enum status status, struct error *e)
{
	const struct member *m = scan->member;

	/* A record after a footer supersedes it, so what follows is no piece, as behind the end of a file. */
	if ((status == STATUS_END || (status == STATUS_CUT && !scan->skip)) && m->has_footer)
		return STATUS_END;
	if (status == STATUS_END || status == STATUS_CUT)
		return error_set(e, STATUS_CUT, "%s: cut short: it ends at byte %" PRIu64
				 " or shortly after, without a footer", m->name, scan->position);
	return status;
}

/* A device that is read as a stream has other data behind the footer. */
static bool is_behind_end(const struct scan *scan, enum status status)
{
	enum piece_kind kind = piece_kind(scan->unit);

	return scan->member->is_stream && scan->member->has_footer &&
	       (kind == PIECE_NONE || kind == PIECE_SUPERBLOCK || status == STATUS_FOREIGN);
}

/* Skips a unit that cannot be read, as if it were damaged.  False: it cannot be skipped. */
static bool skip_bad_sector(struct scan *scan, enum status status, const struct error *e)
{
	const struct member *m = scan->member;

	if (status != STATUS_SYSTEM || !scan->past_damage || m->is_stream ||
	    scan->position >= m->size)
		return false;
	if (!scan->in_damage && scan->damaged)
		scan->damaged(scan->damaged_arg, e);
	scan->in_damage = true;
	advance(scan, ALIGNMENT);
	return true;
}

enum status scan_next(struct scan *scan, struct record *record, uint64_t *offset,
		      struct error *e)
{
	for (;;) {
		const char *what;
		bool found;
		enum status status = read_unit(scan, e);

		if (status && skip_bad_sector(scan, status, e))
			continue;
		if (status)
			return end_of_member(scan, status, e);
		status = take_piece(scan, record, offset, &found, &what);
		if (status && is_behind_end(scan, status)) {
			scan->member->trailing = scan->position;
			return STATUS_END;
		}
		if (status)
			member_verdict(scan->member, status, scan->position, what, e);
		if (status && !scan->past_damage)
			return e->status;
		if (status && !scan->in_damage && scan->damaged)
			scan->damaged(scan->damaged_arg, e);
		scan->in_damage = status != STATUS_OK;
		if (status)
			advance(scan, ALIGNMENT);
		else if (found)
			return STATUS_OK;
	}
}

enum status scan_read_record(struct scan *scan, const struct record *record, uint8_t *raw,
			     struct error *e)
{
	const struct member *m = scan->member;
	uint64_t start = scan->position - record_length(record);
	size_t rest = record_length(record) - ALIGNMENT;

	if (!m->is_stream)
		return member_read(m, raw, rest + ALIGNMENT, start, e);
	memcpy(raw, scan->unit, ALIGNMENT);
	scan->skip = 0;
	if (read_stream(scan, raw + ALIGNMENT, rest) == rest)
		return STATUS_OK;
	if (errno)
		return error_system(e, errno, "%s: at byte %" PRIu64, m->name, start);
	return member_verdict(m, STATUS_CUT, start, "record", e);
}

/* The capture of the piece in scan->unit.  False: it is not an intact record or footer. */
static bool identify_piece(const struct scan *scan, struct superblock *sb)
{
	struct footer footer;
	struct record record;

	if (!footer_decode(&footer, scan->unit) &&
	    footer.offset == scan->position) {
		*sb = footer.set;
		return true;
	}
	if (record_decode(&record, scan->unit, CHUNK_SIZE_MAX))
		return false;
	*sb = (struct superblock){
		.id = record.id,
		.number = MEMBER_NUMBER_UNKNOWN,
		.block_size = record.block_size,
		.chunk_size = record.cell_size,
		.source_size = SOURCE_SIZE_UNKNOWN,
		.cell_size = record.cell_size,
		.classes = record.classes,
	};
	return true;
}

enum status scan_identify(struct scan *scan, struct superblock *superblock, struct error *e)
{
	for (;;) {
		enum status status = read_unit(scan, e);

		if (status && skip_bad_sector(scan, status, e))
			continue;
		if (status == STATUS_CUT)
			return STATUS_END;
		if (status)
			return status;
		if (identify_piece(scan, superblock))
			return STATUS_OK;
		scan->in_damage = true;
		advance(scan, ALIGNMENT);
	}
}
