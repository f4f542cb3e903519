// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "io/transfer.h"
#include "set/scan.h"

/* Consecutive units are searched in large parts. */
enum { SCAN_PART = 256 * 1024 };

void scan_init(struct scan *scan, struct member *member, bool past_damage)
{
	*scan = (struct scan){
		.member = member, .position = SUPERBLOCK_LENGTH, .past_damage = past_damage, .wake_fd = -1,
		.counted = SUPERBLOCK_LENGTH,
	};
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

/*
 * To the first unit that is not in a hole of the file; the last multiple of ALIGNMENT in the member if there is none.
 * Devices and some file systems do not report holes.
 */
static void skip_hole(struct scan *scan)
{
	off_t data = lseek(scan->member->fd, (off_t)scan->position, SEEK_DATA);

	if (data >= 0 || errno == ENXIO)
		scan->position = max_u64(scan->position, round_down(data < 0 ? scan->member->size : (uint64_t)data,
								    ALIGNMENT));
}

static bool holds_unit(const struct scan *scan)
{
	return scan->position >= scan->part_offset && scan->position - scan->part_offset + ALIGNMENT <= scan->part_length;
}

/* After damage, there may be a hole, or a large part without pieces. */
static size_t search_unit(struct scan *scan)
{
	if (scan->in_damage)
		skip_hole(scan);
	atomic_fetch_add(scan->searched, scan->position - scan->counted);
	scan->counted = scan->position;
	if (!holds_unit(scan)) {
		scan->part_offset = scan->position;
		scan->part_length = transfer_pread(scan->member->fd, scan->part, scan->in_damage ? SCAN_PART : ALIGNMENT,
						   scan->position);
	}
	/* If the unit is incomplete, errno is still that of the read. */
	if (!holds_unit(scan))
		return min_u64(scan->part_length, ALIGNMENT);
	memcpy(scan->unit, scan->part + (scan->position - scan->part_offset), ALIGNMENT);
	return ALIGNMENT;
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
	} else if (scan->part) {
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
		enum piece_kind kind;
		const char *what;
		bool found;
		enum status status = read_unit(scan, e);

		if (status && skip_bad_sector(scan, status, e))
			continue;
		if (status)
			return end_of_member(scan, status, e);
		status = take_piece(scan, record, offset, &found, &what);
		kind = piece_kind(scan->unit);
		/* A device that is read as a stream has other data behind the footer. */
		if (status && scan->member->is_stream && scan->member->has_footer &&
		    (kind == PIECE_NONE || kind == PIECE_SUPERBLOCK || status == STATUS_FOREIGN)) {
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

/*
 * Finds the first intact record or footer of any set, and makes a superblock from it.  From a
 * record, only the id and the block size are known, the chunk size is the maximum, and the number
 * is MEMBER_NUMBER_UNKNOWN.  STATUS_END: there is none.
 */
static enum status identify(struct scan *scan, struct superblock *superblock, struct error *e)
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

/* --- salvage ------------------------------------------------------------ */

enum { SEARCHERS_MAX = 32, SEARCHER_STACK = 256 * 1024 };

struct salvage {
	struct salvage_job *jobs;
	unsigned count;
	const struct salvage_watch *watch;
	uint64_t all;			/* bytes to be searched */
	atomic_uint next;		/* index of the next job to be taken */
	atomic_ullong searched;		/* bytes */
};

static enum status add_records(struct scan *scan, struct error *e)
{
	struct record record;
	uint64_t offset;
	enum status status;

	while (!(status = scan_next(scan, &record, &offset, e))) {
		struct index_entry entry = index_entry_of(&record, offset);

		status = member_add_location(scan->member, &entry, e);
		if (status)
			return status;
	}
	/* The end of the member, in order or not, is the end of the search. */
	return status == STATUS_END || status == STATUS_CUT ? STATUS_OK : status;
}

static void do_job(struct salvage *s, struct salvage_job *job)
{
	struct scan scan;

	scan_init(&scan, job->member, true);
	scan.part = malloc(SCAN_PART);
	scan.searched = &s->searched;
	if (!scan.part)
		job->status = error_system(&job->error, ENOMEM, "buffer to search a member");
	else if (job->identify)
		job->status = identify(&scan, &job->first, &job->error);
	else
		job->status = add_records(&scan, &job->error);
	atomic_fetch_add(&s->searched, job->member->size - min_u64(scan.counted, job->member->size));
	free(scan.part);
}

static void work(void *arg, unsigned number)
{
	struct salvage *s = arg;
	unsigned i;

	(void)number;
	while ((i = atomic_fetch_add(&s->next, 1)) < s->count)
		do_job(s, &s->jobs[i]);
}

static void tick(void *arg)
{
	const struct salvage *s = arg;
	uint64_t searched = s->searched;	/* superblocks do not count, here and in all */

	if (s->watch->searching)
		s->watch->searching(s->watch->arg, min_u64(searched, s->all), s->all);
}

void salvage_run(struct salvage_job *jobs, unsigned count, const struct salvage_watch *watch)
{
	struct salvage s = { .jobs = jobs, .count = count, .watch = watch };
	struct thread_pool pool = {
		.count = (unsigned)min_u64(count, SEARCHERS_MAX),
		.stack = SEARCHER_STACK,
		.least = 1,
		.work = work,
		.arg = &s,
	};
	const struct watch pool_watch = {
		.fd = -1,
		.interval = watch->searching ? watch->interval : 60,
		.tick = tick,
		.arg = &s,
	};
	struct error e;

	if (!count)
		return;
	for (unsigned i = 0; i < count; i++)
		s.all += jobs[i].member->size - min_u64(SUPERBLOCK_LENGTH, jobs[i].member->size);
	/* If no thread can be created, this one does all jobs. */
	if ((count == 1 && !watch->searching) || thread_pool_run(&pool, &pool_watch, &e))
		work(&s, 0);
	tick(&s);
}
