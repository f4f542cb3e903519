// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks over sets with missing, damaged and unreadable data. */
#include "config.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "walked.h"

START_TEST(test_missing_member)
{
	static const char *const names[] = { "m0", "m2" };
	uint8_t *source = walked_make_set();
	struct walked t;

	walked_open(&t, names, LENGTH(names), walked_ways[_i].threads);
	t.settings.ordered = walked_ways[_i].ordered;
	t.settings.from = MAKER_CHUNK + 10;
	walked_run(&t);
	walked_assert_hole(&t, 0, MAKER_CHUNK + 10, MAKER_CHUNK - 10);
	walked_assert_hole(&t, 2 * MAKER_CHUNK - 1, 2 * MAKER_CHUNK - 1, 1);
	walked_assert_hole(&t, 2 * MAKER_CHUNK, 4 * MAKER_CHUNK, MAKER_CHUNK);
	/* Of 21 chunks, the last has number 20: it is in m2. */
	walked_assert_hole(&t, 17 * MAKER_CHUNK, 19 * MAKER_CHUNK, MAKER_CHUNK);
	walked_assert_no_hole(&t, 20 * MAKER_CHUNK);
	/* Every third chunk, from the second on. */
	walked_assert_all_but(&t, source, MAKER_CHUNK + 10, 0x092492);
	walked_close(&t);
	free(source);
}
END_TEST

/* Changes a byte in the body of the record of this chunk. */
static void damage_record(const struct set *set, size_t chunk)
{
	const struct location *location = set->map[chunk];
	const char *name = set->members[location->member].name;
	FILE *file = fopen(name, "r+");
	int c;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fseek(file, (long)location->entry.member_offset + 130, SEEK_SET), 0);
	c = getc(file);
	ck_assert_int_eq(fseek(file, -1, SEEK_CUR), 0);
	putc(c ^ 1, file);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_damage_ends_it)
{
	uint64_t at;
	char text[200];
	struct walked t;

	free(walked_make_set());
	walked_open_files(&t, _i);
	damage_record(&t.set, 7);
	at = t.set.map[7]->entry.member_offset;
	walked_run(&t);
	ck_assert_int_eq(t.status, STATUS_DAMAGED);
	snprintf(text, sizeof(text), "m1: damaged at byte %llu: record of bytes %d to %d of the "
		 "source", (unsigned long long)at, 7 * MAKER_CHUNK, 8 * MAKER_CHUNK - 1);
	ck_assert_str_eq(t.error.text, text);
	ck_assert_uint_eq(t.damaged, 0);
	walked_close(&t);
}
END_TEST

START_TEST(test_damage_passed_over)
{
	uint8_t *source = walked_make_set();
	struct walked t;

	walked_open_files(&t, _i);
	t.settings.past_damage = true;
	damage_record(&t.set, 7);
	damage_record(&t.set, 8);
	damage_record(&t.set, 20);
	walked_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.damaged, 3);
	for (unsigned i = 0; i < t.damaged; i++)
		ck_assert_ptr_nonnull(strstr(t.damage[i].text, ": damaged at byte "));
	walked_assert_hole(&t, 0, 7 * MAKER_CHUNK, 2 * MAKER_CHUNK);
	walked_assert_hole(&t, 9 * MAKER_CHUNK, 20 * MAKER_CHUNK, 5001);
	walked_assert_all_but(&t, source, 0, 1 << 7 | 1 << 8 | 1 << 20);
	walked_close(&t);
	free(source);
}
END_TEST

/* A chunk that was captured twice: if one record is damaged, the other replaces it. */
static uint8_t *make_spares(void)
{
	uint8_t *source = maker_source(WALKED_SIZE);

	for (uint32_t number = 0; number < 2; number++) {
		struct maker m;
		char name[16];

		maker_init(&m, number, 2, WALKED_SIZE);
		maker_begin(&m);
		for (uint64_t at = 0; at < WALKED_SIZE; at += MAKER_CHUNK)
			maker_add_record(&m, source, at,
					 (uint32_t)min_u64(MAKER_CHUNK, WALKED_SIZE - at));
		maker_add_footer(&m);
		snprintf(name, sizeof(name), "m%u", number);
		maker_write(&m, name);
		maker_free(&m);
	}
	return source;
}

START_TEST(test_spares)
{
	uint8_t *source = make_spares();
	struct walked t;

	for (int past_damage = 0; past_damage < 2; past_damage++) {
		walked_open(&t, walked_files, 2, walked_ways[_i].threads);
		t.settings.ordered = walked_ways[_i].ordered;
		t.settings.past_damage = past_damage;
		ck_assert_uint_eq(t.set.locations, 2 * (WALKED_CHUNKS + 1));
		if (!past_damage)
			for (size_t chunk = 0; chunk <= WALKED_CHUNKS; chunk++)
				damage_record(&t.set, 2 * chunk + chunk % 2);
		walked_run(&t);
		walked_assert_range(&t, source, 0, WALKED_SIZE);
		walked_assert_no_hole(&t, 0);
		/* Only the first locations are read, so no more is reported. */
		ck_assert_uint_eq(t.damaged, past_damage ? WALKED_CHUNKS / 2 + 1 : 0);
		walked_close(&t);
	}
	free(source);
}
END_TEST

/* A check reads duplicates, too. */
START_TEST(test_check_of_spares)
{
	struct walked t;

	free(make_spares());
	walked_open(&t, walked_files, 2, walked_ways[_i].threads);
	t.settings.mode = WALK_CHECK;
	t.settings.past_damage = true;
	for (size_t chunk = 0; chunk <= WALKED_CHUNKS; chunk++)
		damage_record(&t.set, 2 * chunk + chunk % 2);
	walked_run(&t);
	walked_assert_no_hole(&t, 0);
	ck_assert_uint_eq(t.damaged, WALKED_CHUNKS + 1);
	walked_close(&t);
}
END_TEST

/* A record that does not count, since it ends within a granule, does not deliver its cell once more. */
START_TEST(test_record_left_out_of_map)
{
	uint8_t *source = maker_source(WALKED_SIZE);
	struct walked t;
	struct maker m;

	maker_init(&m, 0, 1, 2 * MAKER_CHUNK);
	maker_begin(&m);
	maker_add_record(&m, source, 0, MAKER_CHUNK);
	maker_add_record(&m, source, MAKER_BLOCK, 5000);
	maker_add_record(&m, source, MAKER_CHUNK, MAKER_CHUNK);
	maker_add_record(&m, source, 2 * MAKER_CHUNK, MAKER_CHUNK);
	maker_add_footer(&m);
	maker_write(&m, "m0");
	maker_free(&m);
	walked_salvage(&t, walked_files, 1, walked_ways[_i].threads);
	ck_assert_uint_eq(t.set.locations, 2);
	t.settings.ordered = walked_ways[_i].ordered;
	walked_run(&t);
	walked_assert_range(&t, source, 0, 2 * MAKER_CHUNK);
	ck_assert_uint_eq(t.damaged, 0);
	walked_assert_no_hole(&t, 0);
	walked_close(&t);
	free(source);
}
END_TEST

START_TEST(test_both_copies_damaged)
{
	struct walked t;

	free(make_spares());
	walked_open(&t, walked_files, 2, walked_ways[_i].threads);
	t.settings.ordered = walked_ways[_i].ordered;
	t.settings.past_damage = true;
	damage_record(&t.set, 8);
	damage_record(&t.set, 9);
	walked_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.damaged, 2);
	ck_assert_int_eq(strncmp(t.damage[0].text, "m0: damaged at byte ", 20), 0);
	ck_assert_int_eq(strncmp(t.damage[1].text, "m1: damaged at byte ", 20), 0);
	walked_assert_hole(&t, 0, 4 * MAKER_CHUNK, MAKER_CHUNK);
	walked_assert_no_hole(&t, 5 * MAKER_CHUNK);
	walked_close(&t);
}
END_TEST

START_TEST(test_unreadable)
{
	uint8_t *source = maker_source(WALKED_SIZE);
	struct maker m;
	struct walked t;

	memset(source + MAKER_CHUNK, 0, MAKER_CHUNK);
	maker_init(&m, 0, 1, 3 * MAKER_CHUNK);
	maker_begin(&m);
	maker_add_record(&m, source, 0, MAKER_CHUNK);
	maker_add_unreadable(&m, MAKER_CHUNK, MAKER_CHUNK);
	maker_add_record(&m, source, 2 * MAKER_CHUNK, MAKER_CHUNK);
	maker_add_footer(&m);
	maker_write(&m, "m0");
	maker_free(&m);
	walked_open(&t, walked_files, 1, walked_ways[_i].threads);
	t.settings.ordered = walked_ways[_i].ordered;
	walked_run(&t);
	walked_assert_range(&t, source, 0, 3 * MAKER_CHUNK);
	walked_assert_no_hole(&t, 0);
	ck_assert_uint_eq(t.unreadable, 1);
	ck_assert_uint_eq(t.bad_offset, MAKER_CHUNK);
	ck_assert_uint_eq(t.bad_length, MAKER_CHUNK);
	walked_close(&t);
	free(source);
}
END_TEST

/* The callback for damage does not return until another thread has stopped the walk. */
struct slow {
	struct walked *walked;
	atomic_bool reported, stopped;
};

static void stay(struct slow *slow)
{
	slow->reported = true;
	while (!slow->stopped)
		usleep(1000);
}

static void slow_damaged(void *arg, const struct error *e)
{
	(void)e;
	stay(arg);
}

static void slow_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	(void)offset, (void)length;
	stay(arg);
}

static void stop_when_reported(void *arg)
{
	struct slow *slow = arg;
	uint64_t done, read;

	if (!slow->reported)
		return;
	walk_progress(slow->walked->walk, &done, &read);
	walk_stop(slow->walked->walk);
	slow->stopped = true;
}

START_TEST(test_telling_holds_no_lock)
{
	struct walked t;
	struct slow slow = { .walked = &t };
	struct maker m;

	for (int damaged = 0; damaged < 2; damaged++) {
		uint8_t *source = walked_make_set();

		slow.reported = slow.stopped = false;
		maker_init(&m, 1, WALKED_MEMBERS, WALKED_SIZE);
		maker_begin(&m);
		maker_add_unreadable(&m, MAKER_CHUNK, MAKER_CHUNK);
		maker_add_footer(&m);
		maker_write(&m, "m1");
		maker_free(&m);
		walked_open_files(&t, _i);
		if (damaged)
			damage_record(&t.set, 1);
		t.settings.past_damage = true;
		t.settings.damaged = slow_damaged;
		t.settings.unreadable = slow_unreadable;
		t.settings.arg = &slow;
		t.settings.watch.tick = stop_when_reported;
		t.settings.watch.arg = &slow;
		walked_run(&t);
		ck_assert_int_eq(t.status, STATUS_STOPPED);
		walked_close(&t);
		free(source);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("walk_damage");
	TCase *tcase = tcase_create("damage");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_missing_member, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_damage_ends_it, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_damage_passed_over, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_spares, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_check_of_spares, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_record_left_out_of_map, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_both_copies_damaged, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_unreadable, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_telling_holds_no_lock, 0, WALKED_WAYS);
	tcase_set_timeout(tcase, 30);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
