// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two sets that are hard to read, with all readers.  In the first, second places lead to and fro between two cells with
 * many records: it is read in a number of reads that is proportional to that of its records, since cells are remembered.
 * In the second, a record has correct checksums and a block that cannot be unpacked: another record has what it stores, for
 * its own granules and for second places of them.
 */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "layer_maker.h"
#include "mount/view.h"
#include "set/read/range.h"
#include "set/read/contents.h"
#include "set/read/walk.h"

enum {
	CELL = 4 * MAKER_CHUNK,
	GRANULES = CELL / GRANULE,
	CROWD = 100,			/* records in each of two cells */
	CELLS = 2 + SECOND_PLACES_MAX / GRANULES,	/* with those; the others are second places */
	RECORDS = 2 * CROWD + CELLS - 2,
	READS_MAX = 8 * RECORDS,	/* a read for each place and record of its target: 64 * 100 */
};

static atomic_uint reads;

/* In place of that of the C library. */
ssize_t pread(int fd, void *bytes, size_t length, off_t offset)
{
	reads++;
	return syscall(SYS_pread64, fd, bytes, length, offset);
}

/* All name two classes, so index entries do not replace their heads.  The last one also stores a granule. */
static void add_crowd(struct maker *m, const uint8_t *source, uint64_t offset)
{
	const struct run named[] = { { RUN_NAMED, CLASS_FREE, GRANULES - 1 },
				     { RUN_NAMED, CLASS_OFFLINE, 1 } };
	const struct run last[] = { { RUN_STORED, CLASS_KERNEL, 1 },
				    { RUN_NAMED, CLASS_FREE, GRANULES - 1 } };

	for (int i = 1; i < CROWD; i++)
		maker_add_layered(m, source, 1, offset, named, 2);
	maker_add_layered(m, source, 1, offset, last, 2);
}

/* Returns the source, to be freed. */
static uint8_t *open_hostile(struct set *set)
{
	const struct run second = { RUN_NAMED, CLASS_SECOND, GRANULES };
	uint8_t *source = maker_source((uint64_t)CELLS * CELL);
	struct maker m;

	maker_init(&m, 0, 1, (uint64_t)CELLS * CELL);
	maker_set_layers(&m.superblock, CELL);
	m.superblock.classes.of[CLASS_FREE] = class_entry(CLASS_LEFT_OUT, 0);
	m.superblock.classes.of[CLASS_OFFLINE] = class_entry(CLASS_LEFT_OUT, 0);
	for (uint64_t at = 2 * CELL; at < (uint64_t)CELLS * CELL; at += GRANULE) {
		uint64_t target = at / GRANULE % 2 * CELL;

		maker_add_second(&m.superblock, at, GRANULE, target);
		memcpy(source + at, source + target, GRANULE);
	}
	maker_begin(&m);
	add_crowd(&m, source, 0);
	add_crowd(&m, source, CELL);
	for (uint64_t at = 2 * CELL; at < (uint64_t)CELLS * CELL; at += CELL)
		maker_add_layered(&m, source, 1, at, &second, 1);
	maker_end(&m, "m0");
	maker_open(set, "m0");
	reads = 0;
	ck_assert_uint_eq(set->locations, RECORDS);
	return source;
}

enum { BAD_GRANULES = 8, BAD_CELL = BAD_GRANULES / 2 * GRANULE };

static void clear_block(struct maker *m, size_t at)
{
	uint8_t *raw = m->bytes + at;
	struct record r;

	ck_assert_int_eq(record_decode(&r, raw, m->superblock.chunk_size), STATUS_OK);
	ck_assert_int_eq(record_entry_kind(get_le32(raw + record_table_offset(&r))), BLOCK_PACKED);
	memset(raw + r.payload_offset, 0, record_entry_length(get_le32(raw + record_table_offset(&r))));
	r.body_checksum = record_body_checksum(&r, raw);
	record_encode(&r, raw);
}

/*
 * Two records of the first cell; the first block of the one that counts cannot be unpacked.  The second cell is
 * a second place of all of it.  Returns the source, to be freed.
 */
static uint8_t *open_bad(struct set *set)
{
	const struct run all = { RUN_STORED, CLASS_KERNEL, 4 }, second = { RUN_NAMED, CLASS_SECOND, 4 };
	uint8_t *source = helper_pages(2 * BAD_CELL);
	struct maker m;

	for (size_t i = 0; i < 2 * BAD_CELL; i++)
		source[i] = (uint8_t)(i % BAD_CELL % 251);
	maker_init(&m, 0, 1, 2 * BAD_CELL);
	m.superblock.chunk_size = BAD_CELL;
	maker_set_layers(&m.superblock, BAD_CELL);
	maker_add_second(&m.superblock, BAD_CELL, BAD_CELL, 0);
	maker_begin(&m);
	clear_block(&m, maker_add_layered(&m, source, 1, 0, &all, 1));
	maker_add_layered(&m, source, 1, 0, &all, 1);
	maker_add_layered(&m, source, 1, BAD_CELL, &second, 1);
	maker_end(&m, "m0");
	maker_open(set, "m0");
	reads = 0;
	return source;
}

/* How the sets are read: all of it, but for cells in front, from a granule on. */
static const struct reading {
	uint8_t *(*open)(struct set *set);
	uint64_t skipped, first;
	unsigned damaged;		/* records that are reported */
} readings[] = {
	{ open_hostile, 2 * CELL, 0, 0 }, { open_bad, 0, 0, 1 }, { open_bad, 0, 3, 1 }, { open_bad, 0, 4, 1 },
	{ open_bad, 0, 7, 1 },
};

static void check_reads(void)
{
	ck_assert_msg(reads <= READS_MAX, "%u reads", reads);
	reads = 0;
}

static void no_damage(void *arg, size_t location, const struct error *e)
{
	(void)arg;
	ck_abort_msg("record %zu: %s", location, e->text);
}

START_TEST(test_contents)
{
	const struct contents_watch watch = { .damaged = no_damage };
	struct contents c;
	struct error e;
	struct set set;
	uint8_t *source = open_hostile(&set);

	ck_assert_int_eq(contents_find(&c, &set, &watch, &e), STATUS_OK);
	ck_assert_uint_eq(c.missing.count, 0);
	ck_assert_uint_eq(layer_totals_second(&c.totals), (uint64_t)(CELLS - 2) * CELL);
	check_reads();
	contents_free(&c);
	set_close(&set);
	free(source);
}
END_TEST

static void count(void *arg, const struct error *e)
{
	unsigned *damaged = arg;

	ck_assert_int_eq(e->status, STATUS_DAMAGED);
	++*damaged;
}

static enum status compare(void *arg, const struct delivery *d, struct error *e)
{
	const uint8_t *source = arg;

	(void)e;
	if (d->data)
		ck_assert_mem_eq(d->data, source + d->offset, d->length);
	return STATUS_OK;
}

/* Of both sets: in any order, ordered, and only checked. */
START_TEST(test_walk)
{
	const struct reading *reading = &readings[_i / 3];
	unsigned damaged = 0;
	struct set set;
	uint8_t *source = reading->open(&set);
	const struct walk_settings settings = {
		.mode = _i % 3 == 2 ? WALK_CHECK : WALK_BYTES,
		.threads = 2,
		.ordered = _i % 3 == 1,
		.past_damage = true,
		.to = set.source_size,
		.deliver = compare,
		.deliver_arg = source,
		.damaged = count,
		.arg = &damaged,
		.watch = { .fd = -1, .interval = 60 },
	};
	uint64_t hole = 0, length;
	struct walk *walk;
	struct error e;

	ck_assert_int_eq(walk_new(&walk, &set, &settings, &e), STATUS_OK);
	ck_assert_msg(!walk_run(walk, &e), "%s", e.text);
	ck_assert(!walk_hole(walk, &hole, &length));
	ck_assert_uint_eq(layer_totals_second(walk_totals(walk)),
			  reading->skipped ? (uint64_t)(CELLS - 2) * CELL : BAD_CELL);
	ck_assert_uint_eq(damaged, reading->damaged);
	check_reads();
	walk_free(walk);
	set_close(&set);
	free(source);
}
END_TEST

/* The offset of the granule to be read after i others. */
static uint64_t next_offset(const struct reading *reading, const struct set *set, uint64_t i)
{
	uint64_t granules = (set->source_size - reading->skipped) / GRANULE;

	return reading->skipped + (i + reading->first) % granules * GRANULE;
}

START_TEST(test_range)
{
	const struct reading *reading = &readings[_i];
	struct range_reader reader;
	uint8_t bytes[GRANULE];
	struct error e;
	struct set set;
	uint8_t *source = reading->open(&set);

	ck_assert_int_eq(range_reader_init(&reader, &set, &e), STATUS_OK);
	for (uint64_t i = 0; i < (set.source_size - reading->skipped) / GRANULE; i++) {
		uint64_t at = next_offset(reading, &set, i);

		ck_assert_msg(!range_read(&reader, at, GRANULE, bytes, &e), "%s", e.text);
		ck_assert_mem_eq(bytes, source + at, GRANULE);
	}
	check_reads();
	range_reader_free(&reader);
	set_close(&set);
	free(source);
}
END_TEST

START_TEST(test_view)
{
	const struct reading *reading = &readings[_i];
	unsigned damaged = 0;
	const struct cache_settings settings = { .limit = 1 << 20, .damaged = count, .arg = &damaged };
	struct source_view view = { .view = { 0 } };
	struct buffers *buffers;
	uint8_t bytes[GRANULE];
	struct error e;
	struct set set;
	uint8_t *source = reading->open(&set);

	ck_assert_int_eq(cache_new(&view.cache, &set, &settings, &e), STATUS_OK);
	view.set = &set;
	source_view_init(&view);
	buffers = cache_take_buffers(view.cache);
	for (uint64_t i = 0; i < (set.source_size - reading->skipped) / GRANULE; i++) {
		uint64_t at = next_offset(reading, &set, i);

		ck_assert_msg(!view.view.read(&view.view, buffers, at, GRANULE, bytes, &e), "%s", e.text);
		ck_assert_mem_eq(bytes, source + at, GRANULE);
	}
	ck_assert_uint_eq(damaged, reading->damaged);
	check_reads();
	cache_return_buffers(view.cache, buffers);
	cache_free(view.cache);
	set_close(&set);
	free(source);
}
END_TEST

/* --- what is remembered, and for how long ------------------------------------------- */

START_TEST(test_forgets)
{
	enum { COUNT = 32768, MOST = 32 * 1024 * 1024 / COUNT };
	uint8_t *granules = calloc(1, COUNT);
	struct error damage, found;
	unsigned kept = 0;
	struct set set;
	uint8_t *source = open_hostile(&set);

	error_set(&damage, STATUS_DAMAGED, "record");
	for (unsigned i = 0; i <= MOST; i++) {
		ck_assert(!set_recall_cell(&set, i, 1, granules, COUNT, &found));
		granules[COUNT - 1] = (uint8_t)i;
		set_keep_cell(&set, i, 1, granules, COUNT, &damage);
		granules[COUNT - 1] = 0;
		ck_assert(!set_recall_cell(&set, i, 2, granules, COUNT, &found));
		ck_assert(set_recall_cell(&set, i, 1, granules, COUNT, &found));
		ck_assert_uint_eq(granules[COUNT - 1], (uint8_t)i);
		ck_assert(found.status == STATUS_DAMAGED && !strcmp(found.text, "record"));
	}
	for (unsigned i = 0; i <= MOST; i++)
		kept += set_recall_cell(&set, i, 1, granules, COUNT, &found);
	ck_assert_uint_ge(kept, 1);
	ck_assert_uint_lt(kept, MOST);
	free(granules);
	set_close(&set);
	free(source);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("hard_sets");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_contents);
	tcase_add_loop_test(tcase, test_walk, 0, 6);
	tcase_add_loop_test(tcase, test_range, 0, LENGTH(readings));
	tcase_add_loop_test(tcase, test_view, 0, LENGTH(readings));
	tcase_add_test(tcase, test_forgets);
	return helper_run_case("hard_sets", tcase);
}
