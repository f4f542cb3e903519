// SPDX-License-Identifier: GPL-2.0-or-later
/* When a block is stored untried. */
#include "config.h"

#include "base/bytes.h"
#include "capture/fill/pack.h"
#include "helper.h"

enum { BLOCK = 4096 };

/* The next block, which cannot be packed; was it tried? */
static bool store_one(struct incompressible *run)
{
	if (incompressible_skips(run, BLOCK))
		return false;
	ck_assert_uint_eq(incompressible_tried(run, BLOCK, 0), 0);
	return true;
}

/* A sequence of this number of stored blocks, and then until one is tried. */
static void store_run(struct incompressible *run, unsigned blocks)
{
	while (blocks--)
		store_one(run);
	while (!store_one(run))
		;
}

/* A packed block that is not smaller gains nothing. */
START_TEST(test_gain)
{
	struct incompressible run = { 0 };

	ck_assert_uint_eq(incompressible_tried(&run, BLOCK, BLOCK), 0);
	ck_assert_uint_eq(incompressible_tried(&run, BLOCK, BLOCK + 1), 0);
	ck_assert_uint_eq(run.bytes, 2 * BLOCK);
	ck_assert_uint_eq(incompressible_tried(&run, BLOCK, BLOCK - 1), BLOCK - 1);
	ck_assert_uint_eq(run.bytes, 0);
}
END_TEST

/* Short sequences of stored blocks skip nothing. */
START_TEST(test_short)
{
	struct incompressible run = { 0 };

	for (int i = 0; i < 100; i++) {
		for (int block = 0; block < INCOMPRESSIBLE_PART; block++)
			ck_assert(store_one(&run));
		ck_assert(!store_one(&run));
		ck_assert(!incompressible_skips(&run, BLOCK));
		ck_assert_uint_eq(incompressible_tried(&run, BLOCK, 1), 1);
	}
}
END_TEST

/* After a sequence of any length its part is not tried; then the count begins again. */
START_TEST(test_end)
{
	static const unsigned runs[] = { 128, 129, 1000, 5000, 100000, 300000 };
	uint64_t want, untried = 0;
	struct incompressible run = { 0 };

	store_run(&run, runs[_i]);
	ck_assert_uint_ge(run.bytes, (uint64_t)runs[_i] * BLOCK);
	want = min_u64(run.bytes / INCOMPRESSIBLE_PART, INCOMPRESSIBLE_SKIP_MAX);
	ck_assert_uint_eq(run.skip, want);
	while (incompressible_skips(&run, BLOCK))
		untried++;
	ck_assert_uint_eq(untried, want / BLOCK);
	ck_assert_uint_eq(incompressible_tried(&run, BLOCK, 1), 1);
	for (int block = 0; block < INCOMPRESSIBLE_PART; block++)
		ck_assert(store_one(&run));
}
END_TEST

/* A remainder too short for a block ends with the sequence: a short block is tried, too. */
START_TEST(test_left_of_skip)
{
	struct incompressible run = { 0 };

	for (int i = 0; i < INCOMPRESSIBLE_PART + 1; i++)
		incompressible_tried(&run, BLOCK, 0);
	ck_assert(incompressible_skips(&run, BLOCK));
	ck_assert(!incompressible_skips(&run, BLOCK));
	ck_assert_uint_eq(incompressible_tried(&run, BLOCK, 1), 1);
	ck_assert(!incompressible_skips(&run, 8));
}
END_TEST

/* Large blocks are not skipped before there is a part for a whole one. */
START_TEST(test_large_blocks)
{
	enum { LARGE = 1 << 20 };
	struct incompressible run = { 0 };

	for (int i = 0; i < INCOMPRESSIBLE_PART; i++) {
		ck_assert(!incompressible_skips(&run, LARGE));
		incompressible_tried(&run, LARGE, 0);
	}
	ck_assert(incompressible_skips(&run, LARGE));
	ck_assert(!incompressible_skips(&run, LARGE));
}
END_TEST

START_TEST(test_tries_all)
{
	struct incompressible run = { .tries_all = true };

	for (int i = 0; i < 100000; i++)
		ck_assert(store_one(&run));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("incompressible");
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
