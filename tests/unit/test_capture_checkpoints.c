// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Marks in the members of captures with layers.  Each is judged by what a power cut would have left
 * when it was written: all of the layers that it names must be in what was synced before.
 */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "layer_trial.h"

enum { SIZE = 40 * TRIAL_CHUNK + 4097, COME_BACK = 30000 };

static const unsigned threads[] = { 0, 1, 2, 5 };	/* 0: serial mode */

/* What a call that hangs may still use is never freed. */
static struct layer_trial l;

/* All sinks are as files are. */
static void init(unsigned count, unsigned outputs, unsigned seed)
{
	layer_trial_init(&l, SIZE, outputs, 4, seed);
	l.t.settings.serial = !count;
	l.t.settings.threads = count ? count : 1;
	for (unsigned i = 0; i < outputs; i++) {
		l.t.memory[i].rewinds = true;
		l.t.memory[i].errnum = EIO;
	}
}

static unsigned checkpoints_of(unsigned sink, uint32_t whole)
{
	unsigned count = 0;

	for (unsigned i = 0; i < l.taken; i++)
		count += l.checkpoints[i].sink == sink && l.checkpoints[i].whole == whole;
	return count;
}

static void run(void)
{
	trial_run(&l.t);
	layer_trial_assert_perfect(&l);
	layer_trial_assert_checkpoints(&l);
}

/* One after each layer but the last, in each member. */
START_TEST(test_serial)
{
	for (int disbelieved = 0; disbelieved < 2; disbelieved++)
		for (unsigned outputs = 1; outputs <= 4; outputs++) {
			unsigned checkpoints = disbelieved ? 3 : 2;

			init(0, outputs, outputs);
			l.disbelieved = disbelieved;
			run();
			for (unsigned i = 0; i < outputs; i++)
				for (uint32_t whole = 1; whole <= checkpoints; whole++)
					ck_assert_uint_eq(checkpoints_of(i, whole), 1);
			ck_assert_uint_eq(l.taken, checkpoints * outputs);
			layer_trial_free(&l);
		}
}
END_TEST

/* Workers that do not begin layer 2 before a checkpoint of layer 1 is written get there. */
START_TEST(test_threads)
{
	for (unsigned outputs = 1; outputs <= 4; outputs++)
		for (unsigned seed = 0; seed < 4; seed++) {
			init(threads[_i], outputs, seed);
			l.waits = true;
			l.disbelieved = seed % 2;
			run();
			ck_assert_uint_ge(l.taken, 1);
			ck_assert_uint_eq(l.checkpoints[0].whole, 1);
			layer_trial_free(&l);
		}
}
END_TEST

/* A writer that always has chunks to write does not put it off. */
START_TEST(test_at_once)
{
	init(5, 1, 3);
	l.t.memory[0].delay = 2000;
	run();
	ck_assert_uint_eq(checkpoints_of(0, 1), 1);
	ck_assert_uint_eq(l.checkpoints[0].later, 0);
	layer_trial_free(&l);
}
END_TEST

/* There is none while an output has records and cannot confirm them, as a pipe. */
START_TEST(test_pipe)
{
	init(threads[_i], 3, 7);
	l.t.memory[0].delay = l.t.memory[2].delay = 1000;	/* so that sink 1 gets a record */
	l.t.memory[1].rewinds = false;
	run();
	ck_assert_uint_eq(l.taken, 0);
	/* Nor are the others synced for nothing: only before and behind the footer. */
	ck_assert_uint_eq(l.t.memory[0].syncs, 2);
	layer_trial_free(&l);
}
END_TEST

/* It does not prevent checkpoints once it is dead; all that it held is captured again before them. */
START_TEST(test_pipe_lost)
{
	for (unsigned append = 1; append < 8; append++) {
		init(0, 3, append);
		l.t.memory[1].rewinds = false;
		l.t.memory[1].fail_append = append;
		run();
		ck_assert_uint_ge(checkpoints_of(0, 1), 1);
		ck_assert_uint_ge(checkpoints_of(2, 2), 1);
		layer_trial_free(&l);
	}
}
END_TEST

/* --- outputs that fail ----------------------------------------------------- */

/* At any append, before, between and behind the checkpoints, or while a checkpoint is written. */
START_TEST(test_lost)
{
	for (unsigned append = 1; append < 40; append++) {
		init(threads[_i], 2 + append % 2, append);
		l.t.memory[1].fail_append = append;
		l.disbelieved = append % 4 == 1;
		run();
		layer_trial_free(&l);
	}
}
END_TEST

/* At any sync, be it the one before a checkpoint or the one behind it. */
START_TEST(test_not_synced)
{
	for (unsigned sync = 1; sync < 8; sync++)
		for (int once = 0; once < 2; once++) {
			init(threads[_i], 3, sync);
			l.t.memory[2].fail_sync = sync;
			l.t.memory[2].sync_once = once;
			run();
			layer_trial_free(&l);
		}
}
END_TEST

/* Lost after the checkpoint of layer 1: what it held is captured again, and there is another one then. */
START_TEST(test_another_checkpoint)
{
	init(0, 2, 3);
	/* Its syncs: for the checkpoint of layer 1, behind it, for the checkpoint of layer 2. */
	l.t.memory[1].fail_sync = 3;
	run();
	ck_assert_uint_eq(checkpoints_of(1, 1), 1);
	ck_assert_uint_eq(checkpoints_of(1, 2), 0);
	ck_assert_uint_eq(checkpoints_of(0, 1), 2);
	ck_assert_uint_eq(checkpoints_of(0, 2), 1);
	layer_trial_free(&l);
}
END_TEST

/* Lost when the others were closed already: their footers are not followed by checkpoints. */
START_TEST(test_none_when_closed)
{
	init(0, 3, 3);
	/* Twice for each of two checkpoints, before its footer and behind it. */
	l.t.memory[2].fail_sync = 6;
	run();
	ck_assert_uint_eq(l.t.failed, 1);
	ck_assert_uint_eq(l.taken, 6);
	layer_trial_free(&l);
}
END_TEST

/* A disk of any size: a checkpoint that does not fit costs no more than a record that does not. */
START_TEST(test_full)
{
	for (uint64_t space = 16384; space < 600000; space += 4096) {
		init(threads[_i], 2, (unsigned)space / 4096);
		l.t.memory[0].fail_behind = space;
		l.t.memory[0].errnum = ENOSPC;
		l.t.memory[0].copies = space % 12288 == 0;
		l.t.memory[0].knows_space = space % 12288 == 4096;
		trial_run(&l.t);
		layer_trial_assert_perfect(&l);
		/* The smallest have space for too little. */
		if (space >= 65536)
			ck_assert_msg(trial_state(&l.t, 0) != SINK_DEAD, "space %u", (unsigned)space);
		layer_trial_free(&l);
	}
}
END_TEST

/* One that is full soon behind a checkpoint, and copies on write, gives up records before the checkpoint, too. */
START_TEST(test_full_behind_checkpoint)
{
	for (uint64_t space = 81920; space < 122880; space += 4096) {
		init(0, 2, (unsigned)_i);
		l.t.memory[0].fail_behind = space;
		l.t.memory[0].errnum = ENOSPC;
		l.t.memory[0].copies = true;
		trial_run(&l.t);
		layer_trial_assert_perfect(&l);
		ck_assert_int_eq(trial_state(&l.t, 0), SINK_FULL);
		layer_trial_free(&l);
	}
}
END_TEST

/* One whose space is known gives nothing up for a checkpoint. */
START_TEST(test_full_device)
{
	for (uint64_t space = 65536; space < 262144; space += 4096) {
		struct sink_stats stats;

		init(threads[_i], 2, (unsigned)space / 4096);
		l.t.memory[0].fail_behind = space;
		l.t.memory[0].errnum = ENOSPC;
		l.t.memory[0].knows_space = true;
		trial_run(&l.t);
		layer_trial_assert_perfect(&l);
		capture_get_sink(l.t.capture, 0, &stats);
		ck_assert_uint_eq(stats.records, stats.written);
		layer_trial_free(&l);
	}
}
END_TEST

/* --- syncs that hang ------------------------------------------------------- */

static bool holds_all(void)
{
	struct capture_progress progress;

	capture_get_progress(l.t.capture, &progress);
	return progress.source_bytes == SIZE;
}

static void release_when_all_is_held(struct trial *t)
{
	if (holds_all())
		t->memory[1].released = true;
}

/* Without a time limit: the others take all layers meanwhile, and nobody gets a checkpoint. */
START_TEST(test_hangs)
{
	init(threads[_i], 3, 5);
	l.t.memory[0].delay = l.t.memory[2].delay = 3000;	/* so that sink 1 gets a record */
	l.t.memory[1].hang_sync = 1;
	l.t.interval = 0.01;
	l.t.on_tick = release_when_all_is_held;
	run();
	ck_assert_uint_eq(l.t.failed, 0);
	ck_assert_uint_eq(l.taken, 0);
	layer_trial_free(&l);
}
END_TEST

/* It is abandoned: the sync before a checkpoint, or the one behind it. */
START_TEST(test_abandoned)
{
	init(2, 3, 5);
	l.t.memory[0].delay = l.t.memory[2].delay = 3000;
	l.t.memory[1].hang_sync = 1 + (unsigned)_i;
	l.t.settings.sink_timeout = 0.3;
	l.t.interval = 0.01;
	run();
	ck_assert_uint_eq(l.t.failed, 1);
	l.t.memory[1].released = true;
	for (unsigned i = 0; !l.t.memory[1].returned && i < COME_BACK; i++)
		usleep(1000);
	usleep(20000);			/* for calls that must not come */
	ck_assert_uint_eq(l.t.memory[1].late, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture_checkpoints");
	TCase *tcase = tcase_create("capture_checkpoints");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_serial);
	tcase_add_loop_test(tcase, test_threads, 1, LENGTH(threads));
	tcase_add_test(tcase, test_at_once);
	tcase_add_loop_test(tcase, test_pipe, 0, LENGTH(threads));
	tcase_add_test(tcase, test_pipe_lost);
	tcase_add_loop_test(tcase, test_lost, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_not_synced, 0, LENGTH(threads));
	tcase_add_test(tcase, test_another_checkpoint);
	tcase_add_test(tcase, test_none_when_closed);
	tcase_add_loop_test(tcase, test_full, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_full_behind_checkpoint, 0, 10);
	tcase_add_loop_test(tcase, test_full_device, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_hangs, 1, LENGTH(threads));
	tcase_add_loop_test(tcase, test_abandoned, 0, 2);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
