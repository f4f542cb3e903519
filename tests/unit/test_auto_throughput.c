// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <time.h>

#include "base/clock.h"
#include "capture/auto/auto_throughput.h"
#include "helper.h"

/* Measures a call that sleeps, as for a disk, or only works; returns its seconds by the clock. */
static double call(struct throughput *p, double bytes, double sleeps, double works)
{
	struct throughput_call call = throughput_begin();
	struct timespec t = { .tv_nsec = (long)(sleeps * 1e9) };
	double until = clock_thread_seconds() + works, start = clock_seconds();

	if (sleeps > 0)
		nanosleep(&t, NULL);
	while (clock_thread_seconds() < until)
		;
	throughput_end(p, &call, bytes);
	return clock_seconds() - start;
}

START_TEST(test_nothing_known)
{
	struct throughput p = { 0 };

	ck_assert_double_eq(throughput_rate(&p, 0, 0), 0);
	ck_assert_double_eq(throughput_rate(&p, 10, 1e6), 0);
}
END_TEST

/* The time that a call slept counts. */
START_TEST(test_disk)
{
	struct throughput p = { 0 };

	for (int i = 0; i < 3; i++)
		ck_assert_double_ge(call(&p, 1e6, 0.02, 0), 0.02);
	ck_assert_double_le(throughput_rate(&p, 0, 0), 50e6);
	ck_assert_double_gt(throughput_rate(&p, 0, 0), 0);
	ck_assert_double_lt(p.cpu, p.seconds);
}
END_TEST

/* In a call that never slept, only the CPU time counts. */
START_TEST(test_memory)
{
	struct throughput p = { 0 };
	double seconds = call(&p, 1e6, 0, 0.01);

	/* A call counts for a tenth of a microsecond more than it took.  1 %: these are two clocks. */
	ck_assert_double_le(p.seconds, 1.01 * seconds + 1e-6);
	ck_assert_double_le(p.seconds - p.cpu, 1e-6);
	ck_assert_double_ge(p.seconds, 0.01);
}
END_TEST

/* The latest calls count most. */
START_TEST(test_becomes_slow)
{
	struct throughput p = { .bytes = 1e9, .seconds = 0.2 };
	double rate = throughput_rate(&p, 0, 0);

	for (int i = 0; i < 30; i++)
		call(&p, 1e5, 0.02, 0);
	ck_assert_double_lt(throughput_rate(&p, 0, 0), 0.2 * rate);
	ck_assert_double_le(p.seconds, 1);
}
END_TEST

/* A call in progress can only lower the rate, and only after a while. */
START_TEST(test_in_progress)
{
	struct throughput p = { .bytes = 1e6, .seconds = 0.01 };

	ck_assert_double_eq(throughput_rate(&p, 0.01, 1e6), 100e6);
	ck_assert_double_eq(throughput_rate(&p, 0.001, 1e9), 100e6);
	ck_assert_double_eq(throughput_rate(&p, 0.06, 1e9), 100e6);
	ck_assert_double_le(throughput_rate(&p, 0.99, 1e6), 2.1e6);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("throughput");
	TCase *tcase = tcase_create("throughput");

	tcase_add_test(tcase, test_nothing_known);
	tcase_add_test(tcase, test_disk);
	tcase_add_test(tcase, test_memory);
	tcase_add_test(tcase, test_becomes_slow);
	tcase_add_test(tcase, test_in_progress);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
