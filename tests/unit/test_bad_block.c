// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A record with layers whose checksums are correct, and of which a block cannot be unpacked.  All readers take
 * what another record stores, for its own granules and for second places of them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "layer_maker.h"
#include "mount/view.h"
#include "set/read/range.h"
#include "set/read/walk.h"

enum { GRANULES = 8, SIZE = GRANULES * GRANULE, CELL = 4 * GRANULE };

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
 * a second place of all of it.
 */
static void open_bad(struct set *set, uint8_t *source)
{
	const struct run all = { RUN_STORED, CLASS_KERNEL, 4 }, second = { RUN_NAMED, CLASS_SECOND, 4 };
	const struct set_settings settings = { .salvage = false };
	struct names list = { 0 };
	struct maker m;
	struct error e;

	for (size_t i = 0; i < SIZE; i++)
		source[i] = (uint8_t)(i % CELL % 251);
	maker_init(&m, 0, 1, SIZE);
	m.superblock.chunk_size = CELL;
	maker_set_layers(&m.superblock, CELL);
	maker_add_second(&m.superblock, CELL, CELL, 0);
	maker_begin(&m);
	clear_block(&m, maker_add_layered(&m, source, 1, 0, &all, 1));
	maker_add_layered(&m, source, 1, 0, &all, 1);
	maker_add_layered(&m, source, 1, CELL, &second, 1);
	maker_add_footer(&m);
	maker_write(&m, "m0");
	maker_free(&m);
	ck_assert_int_eq(names_expand(&list, "m0", 2, &e), STATUS_OK);
	ck_assert_int_eq(set_open(set, &list, &settings, &e), STATUS_OK);
	names_free(&list);
}

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
	ck_assert_mem_eq(d->data, source + d->offset, d->length);
	return STATUS_OK;
}

/* _i: 1 is ordered. */
START_TEST(test_walk)
{
	uint8_t source[SIZE];
	unsigned damaged = 0;
	const struct walk_settings settings = {
		.mode = WALK_BYTES,
		.threads = 2,
		.ordered = _i,
		.past_damage = true,
		.to = SIZE,
		.deliver = compare,
		.deliver_arg = source,
		.damaged = count,
		.arg = &damaged,
		.watch = { .fd = -1, .interval = 60 },
	};
	uint64_t hole = 0, length;
	struct walk *walk;
	struct error e;
	struct set set;

	open_bad(&set, source);
	ck_assert_int_eq(walk_new(&walk, &set, &settings, &e), STATUS_OK);
	ck_assert_msg(!walk_run(walk, &e), "%s", e.text);
	ck_assert(!walk_hole(walk, &hole, &length));
	ck_assert_uint_eq(walk_totals(walk)->memory.kept[CLASS_KERNEL], SIZE / 2);
	ck_assert_uint_eq(walk_totals(walk)->second.kept[CLASS_KERNEL], SIZE / 2);
	ck_assert_uint_eq(damaged, 1);
	walk_free(walk);
	set_close(&set);
}
END_TEST

/* _i: the first granule to be read. */
START_TEST(test_range)
{
	uint8_t source[SIZE], bytes[GRANULE];
	struct range_reader reader;
	struct error e;
	struct set set;

	open_bad(&set, source);
	ck_assert_int_eq(range_reader_init(&reader, &set, &e), STATUS_OK);
	for (unsigned i = 0; i < GRANULES; i++) {
		uint64_t at = (uint64_t)GRANULE * ((i + (unsigned)_i) % GRANULES);

		ck_assert_msg(!range_read(&reader, at, GRANULE, bytes, &e), "%s", e.text);
		ck_assert_mem_eq(bytes, source + at, GRANULE);
	}
	range_reader_free(&reader);
	set_close(&set);
}
END_TEST

START_TEST(test_view)
{
	unsigned damaged = 0;
	const struct cache_settings settings = { .limit = 1 << 20, .damaged = count, .arg = &damaged };
	uint8_t source[SIZE], bytes[GRANULE];
	struct source_view view = { .set = NULL };
	struct sequence sequence;
	struct buffer_pool pool;
	struct buffers *buffers;
	struct error e;
	struct set set;

	open_bad(&set, source);
	ck_assert_int_eq(cache_new(&view.cache, &set, &settings, &e), STATUS_OK);
	view.set = &set;
	source_view_init(&view);
	buffer_pool_init(&pool);
	buffers = buffer_pool_take(&pool);
	sequence_init(&sequence);
	for (unsigned i = 0; i < GRANULES; i++) {
		uint64_t at = (uint64_t)GRANULE * ((i + (unsigned)_i) % GRANULES);

		ck_assert_msg(!view.view.read(&view.view, buffers, &sequence, at, GRANULE, bytes, &e),
			      "%s", e.text);
		ck_assert_mem_eq(bytes, source + at, GRANULE);
	}
	ck_assert_uint_eq(damaged, 1);
	sequence_free(&sequence);
	buffer_pool_return(&pool, buffers);
	buffer_pool_free(&pool);
	cache_free(view.cache);
	set_close(&set);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bad_block");
	TCase *tcase = tcase_create("bad_block");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_walk, 0, 2);
	tcase_add_loop_test(tcase, test_range, 0, GRANULES);
	tcase_add_loop_test(tcase, test_view, 0, GRANULES);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
