// SPDX-License-Identifier: GPL-2.0-or-later
/* When a block is stored untried. */
#include "config.h"

#include "base/bytes.h"
#include "capture/stored_run.h"
#include "helper.h"

enum { BLOCK = 4096 };

/* The next block, which cannot be packed; was it tried? */
static bool store_one(struct stored_run *run)
{
	if (stored_run_skips(run, BLOCK))
		return false;
	ck_assert_uint_eq(stored_run_tried(run, BLOCK, 0), 0);
	return true;
}

/* A run of so many blocks, and then until one is tried. */
static void store_run(struct stored_run *run, unsigned blocks)
{
	while (blocks--)
		store_one(run);
	while (!store_one(run))
		;
}

/* What is packed to as much or to more is no gain. */
START_TEST(test_gain)
{
	struct stored_run run = { 0 };

	ck_assert_uint_eq(stored_run_tried(&run, BLOCK, BLOCK), 0);
	ck_assert_uint_eq(stored_run_tried(&run, BLOCK, BLOCK + 1), 0);
	ck_assert_uint_eq(run.bytes, 2 * BLOCK);
	ck_assert_uint_eq(stored_run_tried(&run, BLOCK, BLOCK - 1), BLOCK - 1);
	ck_assert_uint_eq(run.bytes, 0);
}
END_TEST

/* Runs that are shorter than what one skip takes cost nothing. */
START_TEST(test_short)
{
	struct stored_run run = { 0 };

	for (int i = 0; i < 100; i++) {
		for (int block = 0; block < STORED_RUN_PART; block++)
			ck_assert(store_one(&run));
		ck_assert(!store_one(&run));
		ck_assert(!stored_run_skips(&run, BLOCK));
		ck_assert_uint_eq(stored_run_tried(&run, BLOCK, 1), 1);
	}
}
END_TEST

/* After a run of any length its part is not tried, and then all is as at first. */
START_TEST(test_end)
{
	static const unsigned runs[] = { 128, 129, 1000, 5000, 100000, 300000 };
	uint64_t want, untried = 0;
	struct stored_run run = { 0 };

	store_run(&run, runs[_i]);
	ck_assert_uint_ge(run.bytes, (uint64_t)runs[_i] * BLOCK);
	want = min_u64(run.bytes / STORED_RUN_PART, STORED_RUN_SKIP_MAX);
	ck_assert_uint_eq(run.skip, want);
	while (stored_run_skips(&run, BLOCK))
		untried++;
	ck_assert_uint_eq(untried, want / BLOCK);
	ck_assert_uint_eq(stored_run_tried(&run, BLOCK, 1), 1);
	for (int block = 0; block < STORED_RUN_PART; block++)
		ck_assert(store_one(&run));
}
END_TEST

/* What a skip left, too short for a block, is over with the run: a short block is tried, too. */
START_TEST(test_left_of_skip)
{
	struct stored_run run = { 0 };

	for (int i = 0; i < STORED_RUN_PART + 1; i++)
		stored_run_tried(&run, BLOCK, 0);
	ck_assert(stored_run_skips(&run, BLOCK));
	ck_assert(!stored_run_skips(&run, BLOCK));
	ck_assert_uint_eq(stored_run_tried(&run, BLOCK, 1), 1);
	ck_assert(!stored_run_skips(&run, 8));
}
END_TEST

/* Large blocks are not skipped before there is a part for a whole one. */
START_TEST(test_large_blocks)
{
	enum { LARGE = 1 << 20 };
	struct stored_run run = { 0 };

	for (int i = 0; i < STORED_RUN_PART; i++) {
		ck_assert(!stored_run_skips(&run, LARGE));
		stored_run_tried(&run, LARGE, 0);
	}
	ck_assert(stored_run_skips(&run, LARGE));
	ck_assert(!stored_run_skips(&run, LARGE));
}
END_TEST

START_TEST(test_tries_all)
{
	struct stored_run run = { .tries_all = true };

	for (int i = 0; i < 100000; i++)
		ck_assert(store_one(&run));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stored_run");
	TCase *runs = tcase_create("runs");

	tcase_set_timeout(runs, 60);
	tcase_add_test(runs, test_gain);
	tcase_add_test(runs, test_short);
	tcase_add_loop_test(runs, test_end, 0, 6);
	tcase_add_test(runs, test_left_of_skip);
	tcase_add_test(runs, test_large_blocks);
	tcase_add_test(runs, test_tries_all);
	suite_add_tcase(suite, runs);
	return helper_run(suite);
}
