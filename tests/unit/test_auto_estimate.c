// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "capture/auto/auto_estimate.h"
#include "corpus.h"
#include "helper.h"

enum { PAGE = 4096, PAGES = 16 };

static const struct capture_id id = { { "0123456789abcdef" }, 0x7461675f };

struct bench {
	struct packers packers;
	struct estimator estimator;
	uint8_t *data;			/* PAGES of text */
};

static void bench_open(struct bench *b, const char *presets_text)
{
	struct presets presets;
	struct error e;

	ck_assert_int_eq(presets_find(presets_text, &presets, &e), STATUS_OK);
	ck_assert_int_eq(packers_init(&b->packers, &presets, PAGE, &id, &e), STATUS_OK);
	ck_assert_int_eq(estimator_init(&b->estimator, &b->packers, PAGE, &e), STATUS_OK);
	b->data = helper_pages(PAGES * PAGE);
	corpus_fill(CORPUS_TEXT, 1, b->data, PAGES * PAGE);
}

static void bench_close(struct bench *b)
{
	estimator_free(&b->estimator);
	packers_free(&b->packers);
	free(b->data);
}

static bool estimate(struct bench *b, double worked, struct estimate *a)
{
	return estimate_if_due(&b->estimator, worked, b->data, PAGES * PAGE, a);
}

/* The first estimate of each preset is due at once, in the order of their speed. */
START_TEST(test_each_preset_once)
{
	struct estimate a;
	struct bench b;

	bench_open(&b, "auto");
	ck_assert_uint_gt(b.packers.count, 1);
	for (unsigned i = 0; i < b.packers.count; i++) {
		ck_assert(estimate(&b, 0, &a));
		ck_assert_uint_eq(a.preset, i);
		ck_assert_double_ge(a.bytes, PAGE);
		ck_assert_double_le(a.bytes, 4 * PAGE);
		ck_assert_double_gt(a.seconds, 0);
		ck_assert_double_gt(a.standard_seconds, 0);
		ck_assert_double_lt(a.standard_packed, a.bytes);
		if (i == 0)
			ck_assert_double_eq(a.packed, a.bytes);
		else
			ck_assert_double_lt(a.packed, a.bytes);
		if (i == PRESET_STANDARD)
			ck_assert_double_eq(a.packed, a.standard_packed);
	}
	ck_assert(!estimate(&b, 0, &a));
	bench_close(&b);
}
END_TEST

/* Later all estimates together take their share of the time, divided between the presets. */
START_TEST(test_share)
{
	unsigned counts[PRESETS_MAX] = { 0 };
	double worked = 0;
	struct estimate a;
	struct bench b;

	bench_open(&b, "auto");
	while (b.estimator.spent < 0.05) {
		worked += 1e-3;
		if (estimate(&b, worked, &a))
			counts[a.preset]++;
		/* One estimate may begin just before the share is used up. */
		if (worked > 1)
			ck_assert_double_le(b.estimator.spent, ESTIMATE_SHARE * worked + 0.02);
	}
	for (unsigned i = 0; i < b.packers.count; i++)
		ck_assert_uint_gt(counts[i], 0);
	ck_assert_uint_gt(counts[1], counts[b.packers.count - 1]);
	bench_close(&b);
}
END_TEST

/* Same-filled blocks show nothing of a codec; others are found among them. */
START_TEST(test_same_filled)
{
	double spent;
	struct estimate a;
	struct bench b;

	bench_open(&b, "auto");
	memset(b.data, 0, (PAGES - 1) * PAGE);
	for (unsigned i = 0; i < 2 * b.packers.count; i++)
		if (estimate(&b, 1e9, &a))
			ck_assert_double_eq(a.bytes, PAGE);
	memset(b.data, 0x55, PAGES * PAGE);
	ck_assert(!estimate(&b, 1e9, &a));
	bench_close(&b);

	/* A search that finds nothing counts too, and is not repeated for the first estimates. */
	bench_open(&b, "auto");
	memset(b.data, 0, PAGES * PAGE);
	ck_assert(!estimate(&b, 0, &a));
	spent = b.estimator.spent;
	ck_assert(!estimate(&b, 0, &a));
	ck_assert_double_eq(b.estimator.spent, spent);
	bench_close(&b);
}
END_TEST

/* Less than a block is ignored. */
START_TEST(test_short)
{
	struct estimate a;
	struct bench b;

	bench_open(&b, "auto");
	ck_assert(!estimate_if_due(&b.estimator, 1, b.data, PAGE - 1, &a));
	ck_assert(!estimate_if_due(&b.estimator, 1, b.data, 0, &a));
	bench_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("estimate");
	TCase *tcase = tcase_create("estimate");

	tcase_add_test(tcase, test_each_preset_once);
	tcase_add_test(tcase, test_share);
	tcase_add_test(tcase, test_same_filled);
	tcase_add_test(tcase, test_short);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
