// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures in which outputs fail, at every possible moment: the copy is complete as long as one
 * output is left, with threads and in serial mode.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "io/sink.h"
#include "trial.h"

enum {
	SIZE = 30 * TRIAL_CHUNK + 5000,
	RECORD = TRIAL_CHUNK + 4096,		/* of a chunk that cannot be packed */
};

static const unsigned threads[] = { 0, 1, 2, 5 };	/* 0: serial mode */
static const unsigned outputs[] = { 2, 8 };

/* How an output fails, and its state in the end. */
static const struct {
	struct trial_sink how;
	enum sink_state state;
	unsigned reported;		/* how often its failure was reported */
} failures[] = {
	/* The superblock, the first record, a later one. */
	{ { .fail_append = 1, .errnum = EIO }, SINK_DEAD, 1 },
	{ { .fail_append = 2, .errnum = EIO }, SINK_DEAD, 1 },
	{ { .fail_append = 4, .errnum = EIO, .rewinds = true }, SINK_DEAD, 1 },
	/* Full, and the partial record cannot be removed from a stream. */
	{ { .fail_append = 3, .errnum = ENOSPC }, SINK_DEAD, 1 },
	/*
	 * Full, with space for index and footer, for neither, or for one of them: then the last
	 * record is given up.
	 */
	{ { .fail_behind = 4096 + 2 * RECORD + 8192, .errnum = ENOSPC, .rewinds = true },
	  SINK_FULL, 1 },
	{ { .fail_behind = 4096 + 8192, .errnum = EDQUOT, .rewinds = true }, SINK_FULL, 1 },
	{ { .fail_behind = 4096 + 1 * RECORD + 8192, .errnum = EFBIG, .rewinds = true },
	  SINK_FULL, 1 },
	{ { .fail_behind = 4096 + 2 * RECORD, .errnum = ENOSPC, .rewinds = true },
	  SINK_FULL, 1 },
	{ { .fail_behind = 4096 + 2 * RECORD + 4096, .errnum = ENOSPC, .rewinds = true },
	  SINK_FULL, 1 },
	/* The same where overwriting takes new space. */
	{ { .fail_behind = 4096 + 3 * RECORD, .errnum = ENOSPC, .rewinds = true,
	    .copies = true }, SINK_FULL, 1 },
	{ { .fail_behind = 4096 + 4 * RECORD + 4096, .errnum = EDQUOT, .rewinds = true,
	    .copies = true }, SINK_FULL, 1 },
	/* Nothing but the superblock fits. */
	{ { .fail_behind = 4096, .errnum = ENOSPC, .rewinds = true }, SINK_DEAD, 1 },
	/* A sync fails: before the footer, after it. */
	{ { .fail_sync = 1, .errnum = EIO }, SINK_DEAD, 1 },
	{ { .fail_sync = 2, .errnum = EIO }, SINK_DEAD, 1 },
	/* No space, reported late: the fsync has lost data, and the next one succeeds. */
	{ { .fail_sync = 1, .errnum = ENOSPC, .rewinds = true, .sync_once = true },
	  SINK_DEAD, 1 },
	{ { .fail_sync = 2, .errnum = ENOSPC, .rewinds = true, .sync_once = true },
	  SINK_DEAD, 1 },
};

static uint8_t *bytes;
static struct trial_source source;

static void setup(void)
{
	bytes = trial_bytes_new(TRIAL_RANDOM, SIZE);
	trial_source_init(&source, bytes, SIZE);
}

static void teardown(void)
{
	free(bytes);
}

static void init(struct trial *t, unsigned count, unsigned outputs_count)
{
	trial_init(t, &source.source, outputs_count);
	t->settings.presets = presets_of(&codec_raw, 0);
	trial_set_threads(t, count);
}

/* The other sinks are slow, so that the one that fails gets a chunk. */
static void slow_down(struct trial *t)
{
	for (unsigned i = 0; i < t->outputs; i++)
		t->memory[i].delay = 100;
}

static void try_failure(int i, unsigned count, unsigned k, bool stripe)
{
	struct trial t;

	init(&t, count, k);
	t.memory[0] = failures[i].how;
	t.settings.stripe = stripe;
	slow_down(&t);
	trial_run(&t);
	trial_assert_perfect(&t, bytes, SIZE);
	/* A sink that gets no chunk cannot fail; with --stripe each one gets some. */
	if (stripe) {
		ck_assert_int_eq(trial_state(&t, 0), failures[i].state);
		ck_assert_uint_eq(t.failed, failures[i].reported);
	}
	for (unsigned j = 1; j < k; j++)
		ck_assert_int_eq(trial_state(&t, j), SINK_TAKING);
	trial_free(&t);
}

START_TEST(test_one_fails)
{
	for (size_t n = 0; n < LENGTH(threads); n++)
		for (size_t k = 0; k < LENGTH(outputs); k++)
			try_failure(_i, threads[n], outputs[k], (n + k) % 2);
}
END_TEST

/* All but one, each in its own way; _i: the threads, and which one is left. */
START_TEST(test_all_but_one)
{
	unsigned left = (unsigned)_i % 8;
	struct trial t;

	for (int first = 0; first < (int)LENGTH(failures); first++) {
		init(&t, threads[_i / 8], 8);
		for (unsigned i = 0; i < 8; i++)
			if (i != left)
				t.memory[i] = failures[(first + (int)i) % LENGTH(failures)].how;
		t.settings.stripe = first % 2;
		slow_down(&t);
		trial_run(&t);
		trial_assert_perfect(&t, bytes, SIZE);
		ck_assert_int_eq(trial_state(&t, left), SINK_TAKING);
		trial_free(&t);
	}
}
END_TEST

/*
 * The other output had its footer already, takes the rest, and fails at that.  What it held at its
 * footer counts; only what followed is lost.
 */
static const struct { struct trial_sink how; enum sink_state state; } late[] = {
	/* Superblock, 16 records, index, the footer's place, the footer; then a record. */
	{ { .fail_append = 21, .errnum = EIO, .rewinds = true }, SINK_FULL },
	{ { .fail_append = 25, .errnum = EIO, .rewinds = true }, SINK_FULL },
	/* Index, the space for the footer, the second footer; and their syncs. */
	{ { .fail_append = 36, .errnum = EIO, .rewinds = true }, SINK_FULL },
	{ { .fail_append = 37, .errnum = EIO, .rewinds = true }, SINK_FULL },
	{ { .fail_append = 38, .errnum = EIO, .rewinds = true }, SINK_FULL },
	{ { .fail_sync = 3, .sync_once = true, .errnum = ENOSPC, .rewinds = true }, SINK_FULL },
	{ { .fail_sync = 4, .sync_once = true, .errnum = EIO, .rewinds = true }, SINK_FULL },
	/* Full at the first record after the footer, with and without space for another footer. */
	{ { .fail_behind = 4096 + 16 * RECORD + 2 * 4096, .errnum = ENOSPC, .rewinds = true },
	  SINK_FULL },
	{ { .fail_behind = 4096 + 16 * RECORD + 3 * 4096, .errnum = ENOSPC, .rewinds = true },
	  SINK_FULL },
	/* It cannot be synced again; it is a stream. */
	{ { .fail_sync = 3, .errnum = EIO, .rewinds = true }, SINK_DEAD },
	{ { .fail_append = 20, .errnum = EIO }, SINK_DEAD },
};

static void check_late(struct trial *t, int i)
{
	struct member_facts facts[TRIAL_OUTPUTS];
	uint64_t missing = trial_missing(t);
	struct capture_progress progress = capture_get_progress(t->capture);
	struct copy copy;

	ck_assert_uint_eq(progress.source_bytes + missing, SIZE);
	if (trial_state(t, 0) != SINK_FULL)
		return;
	trial_read(t, bytes, SIZE, &copy, facts);
	ck_assert_int_eq(t->status, STATUS_MISSING);
	ck_assert_int_eq(late[i].state, SINK_FULL);
	ck_assert_uint_eq(facts[0].records, 16);
	ck_assert_uint_le(facts[0].footers, 2);
	ck_assert_uint_eq(missing, 15 * TRIAL_CHUNK);
	trial_free_facts(t, facts);
	copy_free(&copy);
}

START_TEST(test_footer_stays)
{
	for (size_t n = 0; n < LENGTH(threads); n++) {
		struct trial t;

		init(&t, threads[n], 2);
		t.settings.stripe = true;
		t.memory[0] = late[_i].how;
		t.memory[1] = (struct trial_sink){ .fail_sync = 2, .errnum = EIO };
		trial_run(&t);
		/* With threads, either one may be first; serial mode begins with this one. */
		if (!threads[n])
			ck_assert_int_eq(trial_state(&t, 0), late[_i].state);
		check_late(&t, _i);
		trial_free(&t);
	}
}
END_TEST

/* --- space made by giving up records ------------------------------------- */

/*
 * A member that gives up its last records can be closed in any amount of space; the copy is
 * complete if another output takes these records.
 */
START_TEST(test_full_anywhere)
{
	for (size_t space = 4096 + RECORD; space < 4096 + 4 * (size_t)RECORD; space += 4096) {
		struct sink_stats stats;
		struct trial t;

		init(&t, threads[_i], 2);
		t.settings.stripe = true;
		t.memory[0] = (struct trial_sink){
			.fail_behind = space, .errnum = ENOSPC, .rewinds = true,
		};
		trial_run(&t);
		trial_assert_perfect(&t, bytes, SIZE);
		ck_assert_int_eq(trial_state(&t, 0), SINK_FULL);
		stats = capture_get_sink(t.capture, 0);
		/* No more are given up than index and footer need. */
		ck_assert_uint_eq(stats.records, (space - 4096 - 8192) / RECORD);
		ck_assert_uint_le(t.memory[0].length, space);
		trial_free(&t);
	}
}
END_TEST

/* --- all of them --------------------------------------------------------- */

/* No member could be closed.  What salvage finds on some of them is reported. */
static void check_none_closed(struct trial *t)
{
	unsigned kept = 0;
	char want[100] = "nothing was captured: every output failed";

	for (unsigned i = 0; i < t->outputs; i++) {
		struct sink_stats stats = capture_get_sink(t->capture, i);

		kept += stats.salvageable;
		ck_assert_int_eq(stats.salvageable, stats.state == SINK_DEAD && stats.written &&
						    t->memory[i].rewinds);
	}
	if (kept)
		snprintf(want, sizeof(want), "no output could be closed; %u of them hold%s "
			 "records that njoin --salvage can read", kept, kept == 1 ? "s" : "");
	ck_assert_int_eq(t->status, kept ? STATUS_MISSING : STATUS_SYSTEM);
	ck_assert_str_eq(t->error.text, want);
	ck_assert(!capture_closed_any(t->capture));
}

START_TEST(test_all_fail)
{
	struct member_facts facts[TRIAL_OUTPUTS];
	struct copy copy;

	for (size_t n = 0; n < LENGTH(threads); n++) {
		for (unsigned k = 1; k <= 3; k++) {
			struct capture_progress progress;
			uint64_t missing;
			struct trial t;

			init(&t, threads[n], k);
			for (unsigned i = 0; i < k; i++)
				t.memory[i] = failures[_i].how;
			trial_run(&t);
			missing = trial_missing(&t);
			progress = capture_get_progress(t.capture);
			ck_assert_uint_eq(progress.source_bytes + missing, SIZE);
			/* Full outputs that hold nothing count no more than dead ones. */
			if (!progress.source_bytes) {
				check_none_closed(&t);
			} else {
				ck_assert_int_eq(failures[_i].state, SINK_FULL);
				trial_read(&t, bytes, SIZE, &copy, facts);
				ck_assert_int_eq(t.status,
						 missing ? STATUS_MISSING : STATUS_OK);
				for (uint64_t i = 0; i < copy.chunks; i++)
					ck_assert_uint_le(copy.seen[i], 1);
				trial_free_facts(&t, facts);
				copy_free(&copy);
			}
			trial_free(&t);
		}
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture_failures");
	TCase *some = tcase_create("some"), *all = tcase_create("all");

	tcase_add_checked_fixture(some, setup, teardown);
	tcase_set_timeout(some, 120);
	tcase_add_loop_test(some, test_one_fails, 0, LENGTH(failures));
	tcase_add_loop_test(some, test_all_but_one, 0, 8 * LENGTH(threads));
	tcase_add_loop_test(some, test_footer_stays, 0, LENGTH(late));
	suite_add_tcase(suite, some);
	tcase_add_loop_test(some, test_full_anywhere, 0, LENGTH(threads));
	tcase_add_checked_fixture(all, setup, teardown);
	tcase_set_timeout(all, 120);
	tcase_add_loop_test(all, test_all_fail, 0, LENGTH(failures));
	suite_add_tcase(suite, all);
	return helper_run(suite);
}
