// SPDX-License-Identifier: GPL-2.0-or-later
/* An emulated disk is never faster than its rate; how much slower depends on the machine. */
#include "config.h"

#include "base/clock.h"
#include "helper.h"
#include "io/sink.h"

static void write_one(struct throttle *t, size_t bytes)
{
	throttle_begin(t);
	throttle_take(t, bytes);
}

START_TEST(test_not_faster)
{
	double started = clock_seconds();
	struct throttle t;

	throttle_start(&t, 10 << 20);
	for (int i = 0; i < 32; i++)
		write_one(&t, 64 << 10);
	ck_assert_double_ge(clock_seconds() - started, 0.2);
}
END_TEST

/* After a pause, the disk is not faster. */
START_TEST(test_nothing_saved)
{
	struct throttle t;
	double started;

	throttle_start(&t, 10 << 20);
	t.paid -= 3600;
	started = clock_seconds();
	write_one(&t, 2 << 20);
	ck_assert_double_ge(clock_seconds() - started, 0.2);
}
END_TEST

/* The new rate applies from the first write after that time on. */
START_TEST(test_change)
{
	double started = clock_seconds(), changed;
	struct throttle t;

	throttle_start(&t, 100 << 20);
	throttle_change(&t, 0.1, 10 << 20);
	for (int i = 0; clock_seconds() - started < 0.1; i++)
		write_one(&t, 256 << 10);
	changed = clock_seconds();
	write_one(&t, 2 << 20);
	ck_assert_double_ge(clock_seconds() - changed, 0.2 - 0.05);
}
END_TEST

/* One thread that writes to several disks in turn is no faster than one of them. */
START_TEST(test_in_turn)
{
	struct throttle t[4];
	double started = clock_seconds();

	for (size_t i = 0; i < LENGTH(t); i++)
		throttle_start(&t[i], 10 << 20);
	for (int i = 0; i < 32; i++)
		write_one(&t[i % LENGTH(t)], 64 << 10);
	/* Except for the time by which it woke up late, which each disk may compensate once. */
	ck_assert_double_ge(clock_seconds() - started, 0.1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("throttle");
	TCase *tcase = tcase_create("throttle");

	tcase_add_test(tcase, test_not_faster);
	tcase_add_test(tcase, test_nothing_saved);
	tcase_add_test(tcase, test_change);
	tcase_add_test(tcase, test_in_turn);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
