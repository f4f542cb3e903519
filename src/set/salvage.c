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
#include "set/salvage.h"

/* --- a member, piece by piece from its beginning ----------------------------------- */

/* Consecutive units are searched in large parts. */
enum { SCAN_PART = 256 * 1024 };

struct scan {
	struct member *member;		/* borrowed */
	uint64_t position;		/* of the next piece */
	bool in_damage;			/* the latest unit was no intact piece */
	uint8_t *part;			/* of the member, SCAN_PART bytes, owned, */
	uint64_t part_offset;		/* where it begins, */
	size_t part_length;		/* and its valid bytes */
	atomic_ullong *searched;	/* counts the bytes that were searched, */
	uint64_t counted;		/* up to this position */
	uint8_t unit[ALIGNMENT];	/* the first unit of the latest piece */
};

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
static bool search_unit(struct scan *scan)
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
		return false;
	memcpy(scan->unit, scan->part + (scan->position - scan->part_offset), ALIGNMENT);
	return true;
}

/* STATUS_END: the member ends, perhaps within the unit.  A unit that cannot be read is skipped, as if it were damaged. */
static enum status read_unit(struct scan *scan, struct error *e)
{
	const struct member *m = scan->member;

	while (!search_unit(scan)) {
		if (!errno)
			return STATUS_END;
		if (scan->position >= m->size)
			return error_system(e, errno, "%s: at byte %" PRIu64, m->name, scan->position);
		scan->in_damage = true;
		scan->position += ALIGNMENT;
	}
	return STATUS_OK;
}

/* Each of these returns the length of the piece; 0: it is damaged, or of another set. */

static uint64_t take_record(struct scan *scan, struct record *record)
{
	struct member *m = scan->member;

	if (member_decode_record(m, scan->unit, m->superblock.chunk_size, record) ||
	    record_length(record) > m->size - scan->position)
		return 0;
	class_table_merge(&m->classes, &record->classes);
	/* A record after a footer supersedes the footer. */
	m->has_footer = false;
	return record_length(record);
}

static uint64_t take_index(const struct scan *scan)
{
	struct index_header header;
	bool ours = !index_header_decode(&header, scan->unit) &&
		    capture_id_equal(&header.id, &scan->member->superblock.id);

	return ours ? header.length : 0;
}

static uint64_t take_footer(struct scan *scan)
{
	struct member *m = scan->member;
	struct footer footer;

	if (footer_decode(&footer, scan->unit) || !member_owns_footer(m, &footer))
		return 0;
	/* The copy at the end of a device has another offset, and does not end the member. */
	if (footer.offset == scan->position)
		member_take_footer(m, &footer);
	return FOOTER_LENGTH;
}

/* The piece at the position, of this length; 0: there is none. */
static enum status take_piece(struct scan *scan, struct record *record, uint64_t *length, struct error *e)
{
	enum status status = read_unit(scan, e);

	if (status)
		return status;
	switch (piece_kind(scan->unit)) {
	case PIECE_RECORD:
		*length = take_record(scan, record);
		break;
	case PIECE_INDEX:
		*length = take_index(scan);
		break;
	case PIECE_FOOTER:
		*length = take_footer(scan);
		break;
	default:
		*length = 0;
	}
	return STATUS_OK;
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
	enum status status;

	while (!(status = read_unit(scan, e)) && !identify_piece(scan, superblock)) {
		scan->in_damage = true;
		scan->position += ALIGNMENT;
	}
	return status;
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

/* All records, and the footers between them.  The end of the member, in order or not, is the end of the search. */
static enum status add_records(struct scan *scan, struct error *e)
{
	struct record record;
	uint64_t length;
	enum status status;

	while (!(status = take_piece(scan, &record, &length, e))) {
		if (length && piece_kind(scan->unit) == PIECE_RECORD) {
			struct index_entry entry = index_entry_of(&record, scan->position);

			status = member_add_location(scan->member, &entry, e);
			if (status)
				return status;
		}
		scan->in_damage = !length;
		scan->position += length ? length : ALIGNMENT;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

bool salvage_find_end(struct member *m)
{
	atomic_ullong ignored = 0;
	struct scan scan = {
		.member = m, .position = SUPERBLOCK_LENGTH, .counted = SUPERBLOCK_LENGTH,
		.part = malloc(SCAN_PART), .searched = &ignored,
	};
	uint64_t length = scan.part ? 1 : 0;
	struct record record;
	struct error e;

	while (length && !take_piece(&scan, &record, &length, &e))
		scan.position += length;
	free(scan.part);
	if (m->has_footer)
		m->size = m->footer.offset + FOOTER_LENGTH;
	return m->has_footer;
}

static void do_job(struct salvage *s, struct salvage_job *job)
{
	struct scan scan = {
		.member = job->member, .position = SUPERBLOCK_LENGTH, .counted = SUPERBLOCK_LENGTH,
		.part = malloc(SCAN_PART), .searched = &s->searched,
	};

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
