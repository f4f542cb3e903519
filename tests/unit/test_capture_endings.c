// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures to outputs that count only once they have ended well, as commands do: the order in which
 * all are closed, and what happens to the data of one that ends badly.
 *
 * Outputs are named by letters: "c" ends well, "x" ends badly, "f" does not end.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "io/source.h"
#include "trial.h"

enum { SIZE = 30 * TRIAL_CHUNK + 5000 };

static const unsigned threads[] = { 0, 1, 2, 5 };	/* 0: serial mode */

static uint8_t *bytes;
static struct trial_source source;
static struct trial t;
static _Atomic unsigned clock_now;

static void setup(void)
{
	bytes = trial_bytes_new(TRIAL_RANDOM, SIZE);
	trial_source_init(&source, bytes, SIZE);
}

static void teardown(void)
{
	free(bytes);
}

static void init(struct source *from, unsigned count, const char *kinds)
{
	unsigned outputs = (unsigned)strlen(kinds);

	trial_init(&t, from, outputs);
	t.settings.presets = presets_of(&codec_raw, 0);
	trial_set_threads(&t, count);
	clock_now = 0;
	for (unsigned i = 0; i < outputs; i++) {
		t.memory[i].clock = &clock_now;
		t.memory[i].delay = 100;
		t.memory[i].fail_finish = kinds[i] == 'x';
		if (kinds[i] != 'f')
			trial_sink_ends(&t.sinks[i]);
	}
}

/* Each command was finished after its footer, and no file had a footer before that. */
static void check_order(const char *kinds)
{
	for (unsigned i = 0; i < t.outputs; i++) {
		const struct trial_sink *m = &t.memory[i];

		if (kinds[i] == 'f')
			continue;
		ck_assert_uint_gt(m->finished, m->begun);
		ck_assert_uint_gt(m->begun, m->appended);
		ck_assert_int_eq(trial_state(&t, i), kinds[i] == 'x' ? SINK_DEAD : SINK_ENDED);
		for (unsigned j = 0; j < t.outputs; j++)
			if (kinds[j] == 'f' && t.memory[j].length)
				ck_assert_uint_gt(t.memory[j].appended, m->finished);
	}
}

static const char *const mixed[] = {
	"cf", "fc", "fcc", "ccccfccf", "xf", "fx", "xcf", "fxxxxxxx", "xxffcxcx",
};

START_TEST(test_mixed)
{
	for (size_t n = 0; n < LENGTH(threads); n++) {
		for (int stripe = 0; stripe < 2; stripe++) {
			unsigned bad = 0;

			init(&source.source, threads[n], mixed[_i]);
			t.settings.stripe = stripe;
			trial_run(&t);
			trial_assert_perfect(&t, bytes, SIZE);
			check_order(mixed[_i]);
			for (const char *p = mixed[_i]; *p; p++)
				bad += *p == 'x';
			ck_assert_uint_eq(t.failed, bad);
			trial_free(&t);
		}
	}
}
END_TEST

/*
 * The first command that takes chunks is finished after all others and makes up for them, even
 * alone.
 */
static const char *const first[] = {
	"c", "cc", "cccc", "cx", "cxxx", "ccxcx", "cxxxxxxx", "ccf", "cxfx",
};

START_TEST(test_first_stays)
{
	for (size_t n = 0; n < LENGTH(threads); n++) {
		init(&source.source, threads[n], first[_i]);
		trial_run(&t);
		trial_assert_perfect(&t, bytes, SIZE);
		check_order(first[_i]);
		for (unsigned i = 1; i < t.outputs; i++)
			if (first[_i][i] != 'f')
				ck_assert_uint_gt(t.memory[0].begun, t.memory[i].finished);
		trial_free(&t);
	}
}
END_TEST

/*
 * A file has space for its own part only: the data of the command that ends badly goes to the other
 * command, which was not ended although the file was left.
 */
START_TEST(test_file_fills)
{
	init(&source.source, threads[_i], "cxf");
	t.settings.stripe = true;
	/* Superblock, ten records, index, footer. */
	t.memory[2].fail_behind = 4096 + 10 * (TRIAL_CHUNK + 4096) + 4096 + 4096;
	t.memory[2].errnum = ENOSPC;
	t.memory[2].rewinds = true;
	trial_run(&t);
	trial_assert_perfect(&t, bytes, SIZE);
	ck_assert_int_eq(trial_state(&t, 0), SINK_ENDED);
	ck_assert_int_eq(trial_state(&t, 1), SINK_DEAD);
	/* With threads, the command may have taken everything before the file gets a chunk. */
	if (!threads[_i])
		ck_assert_int_eq(trial_state(&t, 2), SINK_FULL);
	trial_free(&t);
}
END_TEST

/* What the last one held is lost and reported, and nothing else. */
START_TEST(test_last_one_lost)
{
	struct member_facts facts[TRIAL_OUTPUTS];
	uint64_t offset = 0, length, missing = 0;
	struct copy copy;

	init(&source.source, threads[_i], "xcc");
	t.settings.stripe = true;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_MISSING);
	ck_assert_int_eq(trial_state(&t, 0), SINK_DEAD);
	ck_assert_int_eq(trial_state(&t, 1), SINK_ENDED);
	ck_assert_int_eq(trial_state(&t, 2), SINK_ENDED);
	for (; capture_missing(t.capture, &offset, &length); offset += length) {
		ck_assert_uint_eq(offset % (3 * TRIAL_CHUNK), 0);
		missing += length;
	}
	ck_assert_uint_eq(missing, 10 * TRIAL_CHUNK + 5000);
	trial_read(&t, bytes, SIZE, &copy, facts);
	ck_assert(!facts[1].footer.stopped && !facts[2].footer.stopped);
	trial_free_facts(&t, facts);
	copy_free(&copy);
	trial_free(&t);
}
END_TEST

/* --- stopped, hung ------------------------------------------------------- */

static void stop(struct trial *trial)
{
	capture_stop(trial->capture);
}

/* Commands that ended well count; those that end badly are lost. */
START_TEST(test_stopped)
{
	struct member_facts facts[TRIAL_OUTPUTS];
	struct copy copy;

	init(&source.source, threads[_i], "ccxf");
	t.interval = 0.001;
	t.on_tick = stop;
	for (unsigned i = 0; i < t.outputs; i++)
		t.memory[i].delay = 2000;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_STOPPED);
	check_order("ccxf");
	trial_read(&t, bytes, SIZE, &copy, facts);
	for (unsigned i = 0; i < t.outputs; i++)
		if (i != 2)
			ck_assert(facts[i].footer.stopped);
	trial_free_facts(&t, facts);
	copy_free(&copy);
	trial_free(&t);
}
END_TEST

static const char *const hanging[] = { "cc", "ccf", "fc", "cccx" };

/* A command that hangs at its end is abandoned and reported once. */
START_TEST(test_hangs)
{
	struct sink_stats stats;

	init(&source.source, 2, hanging[_i]);
	t.settings.sink_timeout = 0.5;
	t.interval = 0.01;
	t.memory[1].hang_finish = true;
	trial_run(&t);
	stats = capture_get_sink(t.capture, 1);
	ck_assert_int_eq(stats.state, SINK_DEAD);
	ck_assert(stats.hung);
	ck_assert_str_eq(stats.why.text, "sink1: no answer for 0.5 s");
	ck_assert_uint_eq(t.memory[1].abandoned, 1);
	trial_assert_perfect(&t, bytes, SIZE);
	capture_free(t.capture);	/* frees nothing, since a call hangs */
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture_endings");
	TCase *tcase = tcase_create("endings"), *hang = tcase_create("hangs");

	helper_use_directory(tcase);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_mixed, 0, LENGTH(mixed));
	tcase_add_loop_test(tcase, test_first_stays, 0, LENGTH(first));
	tcase_add_loop_test(tcase, test_file_fills, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_last_one_lost, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_stopped, 0, LENGTH(threads));
	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(hang, setup, NULL);
	tcase_set_timeout(hang, 60);
	tcase_add_loop_test(hang, test_hangs, 0, LENGTH(hanging));
	suite_add_tcase(suite, hang);
	return helper_run(suite);
}
