// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks over a whole set: each byte once, with any number of threads, ordered or not. */
#include "config.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "set/read/walk_state.h"
#include "walked.h"

/* --- whole sets ---------------------------------------------------------- */

START_TEST(test_whole)
{
	uint8_t *source = walked_make_set();
	uint64_t done, read, records = 0;
	struct walked t;

	walked_open_files(&t, _i);
	walked_run(&t);
	walked_assert_range(&t, source, 0, WALKED_SIZE);
	walked_assert_no_hole(&t, 0);
	ck_assert_uint_eq(t.damaged, 0);
	walk_progress(t.walk, &done, &read);
	ck_assert_uint_eq(done, WALKED_SIZE);
	for (size_t i = 0; i < t.set.locations; i++)
		records += t.set.map[i]->entry.record_length;
	ck_assert_uint_eq(read, records);
	walked_close(&t);
	free(source);
}
END_TEST

START_TEST(test_nobody_wants_bytes)
{
	struct walked t;

	free(walked_make_set());
	walked_open_files(&t, _i);
	t.settings.mode = WALK_CHECK;
	walked_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.deliveries, 0);
	walked_assert_no_hole(&t, 0);
	walked_close(&t);
}
END_TEST

START_TEST(test_empty)
{
	uint8_t *source = maker_source(0);
	struct walked t;

	maker_make_set(source, 0, WALKED_MEMBERS, NULL);
	walked_open_files(&t, _i);
	walked_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.deliveries, 0);
	walked_assert_no_hole(&t, 0);
	walked_close(&t);
	free(source);
}
END_TEST

START_TEST(test_ranges)
{
	static const uint64_t ranges[][2] = {
		{ 0, 1 }, { 1, 2 }, { 0, WALKED_SIZE }, { 4095, 4097 }, { 4096, 8192 },
		{ 5000, 5001 }, { MAKER_CHUNK - 1, MAKER_CHUNK },
		{ MAKER_CHUNK - 1, MAKER_CHUNK + 1 }, { MAKER_CHUNK, MAKER_CHUNK + 1 },
		{ 3 * MAKER_CHUNK + 77, 9 * MAKER_CHUNK + 4099 },
		{ WALKED_SIZE - 1, WALKED_SIZE }, { WALKED_SIZE - 5002, WALKED_SIZE - 1 },
		{ WALKED_SIZE - 5001, WALKED_SIZE }, { WALKED_SIZE - 10, UINT64_MAX },
		{ WALKED_SIZE, WALKED_SIZE + 100 },
	};
	uint8_t *source = walked_make_set();

	for (size_t i = 0; i < LENGTH(ranges); i++) {
		struct walked t;

		walked_open_files(&t, _i);
		t.settings.from = ranges[i][0];
		t.settings.to = ranges[i][1];
		walked_run(&t);
		walked_assert_range(&t, source, ranges[i][0], min_u64(ranges[i][1], WALKED_SIZE));
		walked_assert_no_hole(&t, 0);
		walked_close(&t);
	}
	free(source);
}
END_TEST

/* --- ordered, with all slots put down ----------------------------------------- */

struct held {
	struct walked *walked;
	enum status (*deliver)(void *arg, const struct delivery *delivery, struct error *e);
	bool waited;
};

static unsigned slots_down(struct walk *w)
{
	unsigned down = 0;

	pthread_mutex_lock(&w->lock);
	for (unsigned i = 0; i < w->slots_count; i++)
		down += w->order.ready[i] != NULL;
	pthread_mutex_unlock(&w->lock);
	return down;
}

/* Holds back the first delivery until all other slots were put down and no thread has one. */
static enum status deliver_held(void *arg, const struct delivery *delivery, struct error *e)
{
	struct held *h = arg;
	struct walk *w = h->walked->walk;

	while (!h->waited && slots_down(w) < w->slots_count - 1)
		usleep(100);
	h->waited = true;
	return h->deliver(h->walked, delivery, e);
}

/* The walk then continues, fails, or is stopped. */
START_TEST(test_held_up)
{
	uint8_t *source = walked_make_set();
	struct walked t;
	struct held held = { .walked = &t };

	walked_open(&t, walked_files, WALKED_MEMBERS, 3);
	t.settings.ordered = true;
	held.deliver = t.settings.deliver;
	t.settings.deliver = deliver_held;
	t.settings.deliver_arg = &held;
	t.fail_at = _i == 1;
	t.stop_at = _i == 2;
	walked_run(&t);
	ck_assert(held.waited);
	if (_i == 0)
		walked_assert_range(&t, source, 0, WALKED_SIZE);
	else
		ck_assert_int_eq(t.status, _i == 1 ? STATUS_SYSTEM : STATUS_STOPPED);
	walked_close(&t);
	free(source);
}
END_TEST

/* --- records ------------------------------------------------------------- */

/* The deliveries of each record, by its chunk. */
struct records {
	const uint8_t *source;
	atomic_uint times[WALKED_CHUNKS + 1];
	atomic_bool busy[16];		/* a worker is in a call */
	bool unpacked;
};

static bool wants_blocks(void *arg, const struct record_reader *r)
{
	const struct records *records = arg;

	(void)r;
	return records->unpacked;
}

/*
 * The record is as it is stored: each stored block is its part of the source, and so is each
 * unpacked one.
 */
static enum status take_record(void *arg, unsigned worker, const struct record_reader *r,
			       const struct extent *part, const uint8_t *blocks,
			       struct error *e)
{
	struct records *records = arg;
	const uint8_t *here = records->source + r->record.source_offset;
	struct block_cursor cursor = block_cursor_begin(r);

	(void)e;
	ck_assert_uint_lt(worker, LENGTH(records->busy));
	ck_assert_uint_eq(part->offset, r->record.source_offset);
	ck_assert_uint_eq(part->length, r->record.source_length);
	ck_assert_uint_eq(part->at, 0);
	ck_assert(!atomic_exchange(&records->busy[worker], true));
	ck_assert(!blocks == !records->unpacked);
	records->times[r->record.source_offset / MAKER_CHUNK]++;
	for (uint32_t i = 0; i < record_blocks(&r->record); i++) {
		struct raw_block block = block_cursor_get(&cursor, i);

		ck_assert_int_eq(block.kind, record_reader_kind(r, i));
		ck_assert(block.kind != BLOCK_ZERO || !block.length);
		if (block.kind == BLOCK_STORED)
			ck_assert_mem_eq(block.bytes, here + (size_t)i * MAKER_BLOCK, block.length);
		if (blocks && block.kind != BLOCK_ZERO)
			ck_assert_mem_eq(blocks + (size_t)i * MAKER_BLOCK,
					 here + (size_t)i * MAKER_BLOCK,
					 record_block_length(&r->record, i));
	}
	records->busy[worker] = false;
	return STATUS_OK;
}

START_TEST(test_records)
{
	struct records records = { .source = walked_make_set() };

	if (walked_ways[_i].ordered) {
		free((uint8_t *)records.source);
		return;
	}
	for (int unpacked = 0; unpacked < 2; unpacked++) {
		struct walked t;

		records.unpacked = unpacked;
		walked_open_files(&t, _i);
		t.settings.mode = WALK_RECORDS;
		t.settings.deliver_record = take_record;
		t.settings.needs_blocks = wants_blocks;
		t.settings.deliver_arg = &records;
		walked_run(&t);
		ck_assert_int_eq(t.status, STATUS_OK);
		walked_assert_no_hole(&t, 0);
		for (size_t i = 0; i < LENGTH(records.times); i++)
			ck_assert_uint_eq(records.times[i], unpacked + 1);
		walked_close(&t);
	}
	free((uint8_t *)records.source);
}
END_TEST

/* Overwrites the beginning of a record. */
static void break_record(const struct set *set, const struct location *l)
{
	int fd = open(set->members[l->member].name, O_WRONLY | O_CLOEXEC);

	ck_assert_int_eq(pwrite(fd, "damage", 6, (off_t)l->entry.member_offset), 6);
	close(fd);
}

/* Every third record. */
static bool wants_third(void *arg, uint64_t offset, uint64_t length)
{
	(void)arg;
	ck_assert_uint_le(length, MAKER_CHUNK);
	ck_assert_uint_eq(offset % MAKER_CHUNK, 0);
	return offset / MAKER_CHUNK % 3 == 0;
}

/* Records that are not wanted are not read: here they are damaged, and nobody finds out. */
START_TEST(test_unwanted)
{
	struct records records = { .source = walked_make_set() };
	uint64_t done, read, records_read = 0;
	struct walked t;

	if (walked_ways[_i].ordered) {
		free((uint8_t *)records.source);
		return;
	}
	walked_open_files(&t, _i);
	for (size_t i = 0; i < t.set.locations; i++) {
		const struct location *l = t.set.map[i];

		if (wants_third(NULL, l->entry.source_offset, l->entry.source_length))
			records_read += l->entry.record_length;
		else
			break_record(&t.set, l);
	}
	t.settings.mode = WALK_RECORDS;
	t.settings.deliver_record = take_record;
	t.settings.needs_blocks = wants_blocks;
	t.settings.wants_record = wants_third;
	t.settings.deliver_arg = &records;
	walked_run(&t);
	ck_assert_msg(t.status == STATUS_OK, "%s", t.error.text);
	ck_assert_uint_eq(t.damaged, 0);
	walked_assert_no_hole(&t, 0);
	for (size_t i = 0; i < LENGTH(records.times); i++)
		ck_assert_uint_eq(records.times[i], i % 3 == 0);
	walk_progress(t.walk, &done, &read);
	ck_assert_uint_eq(done, WALKED_SIZE);
	ck_assert_uint_eq(read, records_read);
	walked_close(&t);
	free((uint8_t *)records.source);
}
END_TEST

/* --- endings ------------------------------------------------------------- */

START_TEST(test_deliver_fails)
{
	struct walked t;

	free(walked_make_set());
	for (unsigned fail_at = 1; fail_at < 20; fail_at += 6) {
		char text[40];

		walked_open_files(&t, _i);
		t.settings.past_damage = fail_at > 10;
		t.fail_at = fail_at;
		walked_run(&t);
		ck_assert_int_eq(t.status, STATUS_SYSTEM);
		snprintf(text, sizeof(text), "refused from delivery %u", fail_at);
		ck_assert_str_eq(t.error.text, text);
		/*
		 * If ordered, nothing is delivered after a failure. Otherwise each other thread may
		 * deliver once more, which is refused, too.
		 */
		ck_assert_uint_le(t.deliveries, fail_at + (t.settings.ordered ? 0
								: walked_ways[_i].threads - 1));
		walked_close(&t);
	}
}
END_TEST

START_TEST(test_stop)
{
	struct walked t;

	free(walked_make_set());
	walked_open_files(&t, _i);
	t.stop_at = 5;
	walked_run(&t);
	ck_assert_int_eq(t.status, STATUS_STOPPED);
	ck_assert_uint_lt(t.deliveries, 5 + 6 * walked_ways[_i].threads);
	walked_close(&t);
}
END_TEST

START_TEST(test_stop_beforehand)
{
	struct walked t;

	free(walked_make_set());
	walked_open_files(&t, _i);
	ck_assert_int_eq(walk_new(&t.walk, &t.set, &t.settings, &t.error), STATUS_OK);
	walk_stop(t.walk);
	ck_assert_int_eq(walk_run(t.walk, &t.error), STATUS_STOPPED);
	ck_assert_uint_eq(t.deliveries, 0);
	walked_close(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("walk");
	TCase *tcase = tcase_create("walk");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_whole, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_nobody_wants_bytes, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_records, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_unwanted, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_empty, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_ranges, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_deliver_fails, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_held_up, 0, 3);
	tcase_add_loop_test(tcase, test_stop, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_stop_beforehand, 0, WALKED_WAYS);
	tcase_set_timeout(tcase, 30);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
