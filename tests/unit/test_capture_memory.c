// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory plan: its figures, how it fits a limit, and when that is impossible. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "trial.h"

enum { SIZE = 30 * TRIAL_CHUNK + 1 };

static uint8_t *bytes;
static struct trial_source source;

static void setup(void)
{
	bytes = trial_bytes_new(TRIAL_MIXED, SIZE);
	trial_source_init(&source, bytes, SIZE);
}

static void teardown(void)
{
	free(bytes);
}

/* CODECS is auto; false: the build lacks the codec. */
static bool set_codec(struct trial *t, int number)
{
	const struct codec *codec = codec_entries()[number].codec;

	if (number == CODECS)
		return presets_find("auto", &t->settings.presets, &t->error) == STATUS_OK;
	if (codec)
		t->settings.presets = presets_of(codec, codec->level_min);
	return codec;
}

static enum status plan(struct trial *t, uint64_t limit)
{
	t->settings.memory_limit = limit;
	return capture_plan(&t->settings, t->source, t->sinks, t->outputs, &t->plan, &t->error);
}

/* "...; these options need at least 6197432 bytes" */
static uint64_t least_of(const struct error *e)
{
	const char *begin = "--mem-limit=1048576 is too small; these options need at least ";
	unsigned long long least = 0;
	int end = 0;

	ck_assert_msg(strncmp(e->text, begin, strlen(begin)) == 0, "%s", e->text);
	ck_assert_int_eq(sscanf(e->text + strlen(begin), "%llu bytes%n", &least, &end), 1);
	ck_assert_uint_eq(strlen(begin) + (size_t)end, strlen(e->text));
	return least;
}

static void run_with(int codec, uint64_t limit, unsigned threads,
		     unsigned outputs, bool stripe)
{
	struct trial t;

	trial_init(&t, &source.source, outputs);
	set_codec(&t, codec);
	trial_set_threads(&t, threads);
	t.settings.stripe = stripe;
	t.settings.memory_limit = limit;
	trial_run(&t);
	ck_assert_uint_le(t.plan.total, limit);
	ck_assert_uint_eq(t.plan.chunks, 1);
	trial_assert_perfect(&t, bytes, SIZE);
	trial_free(&t);
}

/* A limit that is too small is refused; the least reported works, and one byte less does not. */
START_TEST(test_least)
{
	static const unsigned threads[] = { 0, 1, 2, 5 }, outputs[] = { 1, 2, 8 };

	for (size_t n = 0; n < LENGTH(threads); n++) {
		for (size_t k = 0; k < LENGTH(outputs); k++) {
			uint64_t least;
			struct trial t;

			trial_init(&t, &source.source, outputs[k]);
			if (!set_codec(&t, _i))
				return;
			trial_set_threads(&t, threads[n]);
			ck_assert_int_eq(plan(&t, 1 << 20), STATUS_USAGE);
			least = least_of(&t.error);
			ck_assert_int_eq(plan(&t, least - 1), STATUS_USAGE);
			ck_assert_int_eq(plan(&t, least), STATUS_OK);
			ck_assert_uint_eq(t.plan.total, least);
			ck_assert_int_eq(plan(&t, least + t.plan.chunk), STATUS_OK);
			ck_assert_uint_eq(t.plan.chunks, 2);
			trial_free(&t);
			run_with(_i, least, threads[n], outputs[k], n % 2);
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture_memory");
	TCase *tcase = tcase_create("memory");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_least, 0, CODECS + 1);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
