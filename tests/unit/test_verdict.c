// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics of measurements, and whether they are reliable. */
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

/* --- verdicts: captures, ceilings and shares are judged apart ---------------------- */

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

/* An emulated disk on a machine with other programs. */
START_TEST(test_only_the_ceiling_varies)
{
	struct cell cells[2] = { 0 };
	struct verdict v;

	measured(&cells[0], MEASURE_CAPTURE, (double[]){ 100, 101, 100 });
	measured(&cells[0], MEASURE_PACK, (double[]){ 1000, 2000, 1500 });
	/* cells[1] was not measured. */
	v = verdict_of(cells, LENGTH(cells));
	ck_assert_uint_eq(v.kinds[JUDGED_CAPTURES].figures, 1);
	ck_assert_uint_eq(v.kinds[JUDGED_CAPTURES].reliable, 1);
	ck_assert_double_eq(v.kinds[JUDGED_CAPTURES].widest, 0.01);
	ck_assert_uint_eq(v.kinds[JUDGED_CEILINGS].figures, 1);
	ck_assert_uint_eq(v.kinds[JUDGED_CEILINGS].reliable, 0);
	ck_assert_uint_eq(v.kinds[JUDGED_SHARES].figures, 1);
	ck_assert_uint_eq(v.kinds[JUDGED_SHARES].reliable, 0);
	ck_assert_uint_eq(v.kinds[JUDGED_VERIFIES].figures, 0);
	ck_assert(verdict_speeds_reliable(&v));
	ck_assert(!verdict_shares_reliable(&v));
	ck_assert(!v.few);
	free_cell(&cells[0]);
}
END_TEST

/* The whole machine becomes slower: captures, verifies and ceilings alike. */
START_TEST(test_only_the_shares_are_reliable)
{
	struct cell cell = { 0 };
	struct verdict v;

	measured(&cell, MEASURE_CAPTURE, (double[]){ 100, 75, 50 });
	measured(&cell, MEASURE_PACK, (double[]){ 200, 150, 100 });
	measured(&cell, MEASURE_VERIFY, (double[]){ 200, 150, 100 });
	measured(&cell, MEASURE_UNPACK, (double[]){ 400, 300, 200 });
	v = verdict_of(&cell, 1);
	ck_assert_uint_eq(v.kinds[JUDGED_CEILINGS].figures, 2);
	ck_assert_uint_eq(v.kinds[JUDGED_SHARES].figures, 2);
	ck_assert_uint_eq(v.kinds[JUDGED_SHARES].reliable, 2);
	ck_assert(!verdict_speeds_reliable(&v));
	ck_assert(verdict_shares_reliable(&v));
	free_cell(&cell);
}
END_TEST

START_TEST(test_few_rounds)
{
	struct cell cell = { 0 };
	struct verdict v;

	measured(&cell, MEASURE_CAPTURE, (double[]){ 100, 100, 100 });
	cell.rate[MEASURE_CAPTURE].count = 1;
	v = verdict_of(&cell, 1);
	ck_assert(v.few);
	ck_assert_uint_eq(v.kinds[JUDGED_CAPTURES].rounds, 1);
	ck_assert_uint_eq(v.kinds[JUDGED_CAPTURES].reliable, 0);
	free_cell(&cell);
}
END_TEST

/* The fastest and the smallest capture; a codec that sleeps is neither, nor is what was not measured. */
START_TEST(test_best)
{
	const struct bench_codec raw = { .presets = presets_of(&codec_raw, 0) };
	const struct bench_codec sleeps = { .presets = presets_of(&codec_sleep, 1) };
	struct cell cells[5] = {
		{ .codec = &raw, .member_bytes = 9999 }, { .codec = &raw, .member_bytes = 10000 },
		{ .codec = &raw, .member_bytes = 20000 }, { .codec = &sleeps, .member_bytes = 10 }, { .codec = &raw },
	};

	ck_assert_ptr_null(cells_fastest(cells, LENGTH(cells)));
	ck_assert_ptr_null(cells_smallest(cells, LENGTH(cells)));
	measured(&cells[0], MEASURE_CAPTURE, (double[]){ 100, 101, 300 });
	measured(&cells[1], MEASURE_CAPTURE, (double[]){ 100, 102, 103 });
	measured(&cells[2], MEASURE_CAPTURE, (double[]){ 10, 10, 10 });
	measured(&cells[3], MEASURE_CAPTURE, (double[]){ 1000, 1000, 1000 });
	ck_assert_ptr_eq(cells_fastest(cells, LENGTH(cells)), &cells[1]);
	/* The last one with almost the same size. */
	ck_assert_ptr_eq(cells_smallest(cells, LENGTH(cells)), &cells[1]);
	for (size_t i = 0; i < LENGTH(cells); i++)
		free_cell(&cells[i]);
}
END_TEST

/* The fastest is doubtful only if it is unreliable, or something unreliable was faster at least once. */
START_TEST(test_best_is_trusted)
{
	const struct bench_codec raw = { .presets = presets_of(&codec_raw, 0) };
	const struct bench_codec sleeps = { .presets = presets_of(&codec_sleep, 1) };
	struct cell cells[] = { { .codec = &raw }, { .codec = &raw }, { .codec = &sleeps } };
	static const struct {
		double rounds[2][3];
		size_t fastest;
		enum fastest_trust trust;
	} cases[] = {
		{ { { 100, 100, 101 }, { 50, 60, 99 } }, 0, FASTEST_RELIABLE },
		{ { { 100, 100, 101 }, { 90, 99, 105 } }, 0, FASTEST_RELIABLE },
		{ { { 100, 100, 101 }, { 50, 60, 110 } }, 0, FASTEST_DOUBTFUL },
		{ { { 50, 50, 50 }, { 80, 100, 110 } }, 1, FASTEST_UNRELIABLE },
	};

	measured(&cells[2], MEASURE_CAPTURE, (double[]){ 1, 10, 1000 });
	for (size_t i = 0; i < LENGTH(cases); i++) {
		measured(&cells[0], MEASURE_CAPTURE, cases[i].rounds[0]);
		measured(&cells[1], MEASURE_CAPTURE, cases[i].rounds[1]);
		ck_assert_ptr_eq(cells_fastest(cells, LENGTH(cells)), &cells[cases[i].fastest]);
		ck_assert_int_eq(cells_fastest_trust(cells, LENGTH(cells), &cells[cases[i].fastest]), cases[i].trust);
		free_cell(&cells[0]);
		free_cell(&cells[1]);
	}
	measured(&cells[0], MEASURE_CAPTURE, (double[]){ 100, 100, 100 });
	cells[0].rate[MEASURE_CAPTURE].count = 2;
	ck_assert_int_eq(cells_fastest_trust(cells, 1, cells), FASTEST_UNRELIABLE);
	free_cell(&cells[0]);
	free_cell(&cells[2]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("verdict");
	TCase *tcase = tcase_create("verdict");

	tcase_add_test(tcase, test_odd);
	tcase_add_test(tcase, test_percentile);
	tcase_add_test(tcase, test_share_by_pairs);
	tcase_add_test(tcase, test_best);
	tcase_add_test(tcase, test_best_is_trusted);
	tcase_add_test(tcase, test_only_the_ceiling_varies);
	tcase_add_test(tcase, test_only_the_shares_are_reliable);
	tcase_add_test(tcase, test_few_rounds);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
