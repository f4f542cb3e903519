// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics of measurements. */
#include "config.h"

#include <stdlib.h>

#include "bench/bench.h"
#include "helper.h"

/* --- statistics ------------------------------------------------------------------ */

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
	struct summary summary = samples_summary(&s);

	ck_assert_uint_eq(summary.count, 5);
	ck_assert_double_eq(summary.median, 3);
	ck_assert_double_eq(summary.least, 1);
	ck_assert_double_eq(summary.most, 5);
	ck_assert_double_eq(summary.spread, 4.0 / 3);
	/* The values keep the order of measurement. */
	ck_assert_double_eq(s.values[0], 5);
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
	struct summary summary = samples_share(&a, &b);

	/* 0.89, 0.90, 0.91, 0.91; the fifth value has no pair. */
	ck_assert_double_eq_tol(summary.median, 0.905, 1e-9);
	ck_assert_double_eq_tol(summary.spread, 0.02 / 0.905, 1e-9);
	ck_assert_uint_eq(summary.count, 4);
	samples_free(&a);
	samples_free(&b);
}
END_TEST

/* --- the figures of a cell ----------------------------------------------------------- */

enum { ROUNDS = 3 };

static void measured(struct cell *cell, enum measure what, const double values[ROUNDS])
{
	struct error e;

	ck_assert_int_eq(samples_init(&cell->rate[what], ROUNDS, &e), STATUS_OK);
	for (int i = 0; i < ROUNDS; i++)
		samples_add(&cell->rate[what], values[i]);
}

static void free_cell(struct cell *cell)
{
	for (int what = 0; what < MEASURES; what++)
		samples_free(&cell->rate[what]);
}

/* The best of the rounds, whichever they were; what was not measured has no figures. */
START_TEST(test_figures)
{
	struct cell cell = { 0 };
	struct figures f;

	measured(&cell, MEASURE_CAPTURE, (double[]){ 50, 75, 100 });
	measured(&cell, MEASURE_PACK, (double[]){ 200, 100, 150 });
	f = cell_figures(&cell, MEASURE_CAPTURE);
	ck_assert_double_eq(f.rate.median, 75);
	ck_assert_double_eq(f.ceiling.median, 150);
	ck_assert_double_eq_tol(f.share.median, 100 / 150.0, 1e-9);
	ck_assert_double_eq(f.best, 0.5);
	f = cell_figures(&cell, MEASURE_JOIN);
	ck_assert(!f.rate.count && !f.ceiling.count && !f.share.count);
	free_cell(&cell);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("samples");

	tcase_add_test(tcase, test_odd);
	tcase_add_test(tcase, test_share_by_pairs);
	tcase_add_test(tcase, test_figures);
	return helper_run_case("samples", tcase);
}
