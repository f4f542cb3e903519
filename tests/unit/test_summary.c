// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics of measurements. */
#include "config.h"

#include <stdlib.h>

#include "bench/bench.h"
#include "helper.h"

static struct samples samples_of(const double *values, size_t count)
{
	struct samples s;
	struct error e;

	ck_assert_int_eq(samples_init(&s, count, &e), STATUS_OK);
	for (size_t i = 0; i < count; i++)
		samples_add(&s, values[i]);
	return s;
}

START_TEST(test_odd)
{
	static const double values[] = { 5, 1, 4, 2, 3 };
	struct samples s = samples_of(values, LENGTH(values));
	struct summary summary;

	ck_assert(samples_summary(&s, &summary));
	ck_assert_double_eq(summary.median, 3);
	ck_assert_double_eq(summary.least, 1);
	ck_assert_double_eq(summary.most, 5);
	ck_assert_double_eq(summary.spread, 4.0 / 3);
	/* The values keep the order of measurement. */
	ck_assert_double_eq(s.values[0], 5);
	samples_free(&s);
}
END_TEST

/* The nearest rank: a measured value that the share does not exceed. */
START_TEST(test_percentile)
{
	struct samples s;
	struct error e;

	ck_assert_int_eq(samples_init(&s, 200, &e), STATUS_OK);
	for (int i = 200; i > 0; i--)
		samples_add(&s, i);
	ck_assert_double_eq(samples_percentile(&s, 0), 1);
	ck_assert_double_eq(samples_percentile(&s, 0.5), 100);
	ck_assert_double_eq(samples_percentile(&s, 0.501), 101);
	ck_assert_double_eq(samples_percentile(&s, 0.99), 198);
	ck_assert_double_eq(samples_percentile(&s, 1), 200);
	samples_free(&s);
}
END_TEST

/* A machine that becomes half as fast in the middle does not change the shares. */
START_TEST(test_share_by_pairs)
{
	static const double ceiling[] = { 100, 100, 50, 50, 50 };
	static const double reached[] = { 90, 91, 44.5, 45.5 };
	struct samples a = samples_of(reached, LENGTH(reached));
	struct samples b = samples_of(ceiling, LENGTH(ceiling));
	struct summary summary;

	/* 0.89, 0.90, 0.91, 0.91; the fifth value has no pair. */
	ck_assert(samples_share(&a, &b, &summary));
	ck_assert_double_eq_tol(summary.median, 0.905, 1e-9);
	ck_assert_double_eq_tol(summary.spread, 0.02 / 0.905, 1e-9);
	ck_assert_uint_eq(summary.count, 4);
	samples_free(&a);
	samples_free(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("summary");
	TCase *tcase = tcase_create("summary");

	tcase_add_test(tcase, test_odd);
	tcase_add_test(tcase, test_percentile);
	tcase_add_test(tcase, test_share_by_pairs);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
