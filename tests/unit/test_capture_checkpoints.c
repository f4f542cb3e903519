// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Marks in the members of captures with layers.  Each is judged by what a power cut would have left
 * when it was written: all of the layers that it names must be in what was synced before.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

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
	if (seed % 3 == 1)
		layer_trial_make_first(&l);
	if (seed % 4 == 2)
		layer_trial_make_marked(&l);
	trial_set_threads(&l.t, count);
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
			unsigned last = outputs == 2 ? 5 : disbelieved ? 4 : 3, all = 0;

			init(0, outputs, outputs);
			l.disbelieved = disbelieved;
			run();
			for (unsigned i = 0; i < outputs; i++)
				for (uint32_t whole = 0; whole <= last; all += checkpoints_of(i, whole++))
					ck_assert_uint_eq(checkpoints_of(i, whole),
							  whole ? whole > 1 && (whole != 4 || disbelieved) : outputs % 3 == 1);
			ck_assert_uint_eq(l.taken, all);
			ck_assert_uint_eq(l.touched != 0, outputs == 2);
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
			ck_assert(l.checkpoints[0].whole == 2 || seed % 3 == 1);
			layer_trial_free(&l);
		}
}
END_TEST

/* There is none while an output has records and cannot confirm them, as a pipe. */
START_TEST(test_pipe)
{
	init(threads[_i], 3, 8);
	l.t.memory[0].delay = l.t.memory[2].delay = 1000;	/* so that sink 1 gets a record */
	l.t.memory[1].rewinds = false;
	run();
	ck_assert_uint_eq(l.taken, 0);
	/* Nor are the others synced for nothing: only before and behind the footer. */
	ck_assert_uint_eq(l.t.memory[0].syncs, 2);
	layer_trial_free(&l);
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

/* --- syncs that hang ------------------------------------------------------- */

static bool holds_all(void)
{
	struct capture_progress progress = capture_get_progress(l.t.capture);

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

/* --- before marked pages are read ------------------------------------------ */

/* A pipe is not waited for: of the others, none says that a layer is complete. */
START_TEST(test_marked_pipe)
{
	init(threads[_i], 3, 2);
	for (unsigned i = 0; i < 3; i++)
		l.t.memory[i].delay = 1000;	/* so that each gets a record */
	l.t.memory[1].rewinds = false;
	run();
	ck_assert_uint_gt(l.touched, 0);
	ck_assert((l.told[0] || l.told[2]) && !l.told[1]);
	ck_assert_uint_ge(checkpoints_of(0, 0) + checkpoints_of(2, 0), 1);
	layer_trial_free(&l);
}
END_TEST

/* A request to stop comes while they wait: they are not read, and are missing. */
START_TEST(test_marked_stopped)
{
	for (unsigned outputs = 1; outputs <= 3; outputs++) {
		init(threads[_i], outputs, 2);
		l.stops_before_marked = true;
		trial_run(&l.t);
		ck_assert_int_eq(l.t.status, STATUS_STOPPED);
		ck_assert_uint_eq(l.touched, 0);
		ck_assert(l.told[0] || l.told[1] || l.told[2]);
		layer_trial_assert_told(&l);
		layer_trial_free(&l);
	}
}
END_TEST

/* An output that hangs is waited for until it is abandoned, and for what it had. */
START_TEST(test_marked_hangs)
{
	init(threads[_i % 2 + 1], 3, 2);
	l.t.memory[1].hang_sync = (unsigned)_i / 2 + 1;
	l.t.memory[0].delay = l.t.memory[2].delay = 1000;
	l.t.settings.sink_timeout = 0.5;
	l.t.interval = 0.01;
	run();
	ck_assert_uint_eq(l.t.failed, l.t.memory[1].syncs >= l.t.memory[1].hang_sync);
	ck_assert_uint_gt(l.touched, 0);
	l.t.memory[1].released = true;
}
END_TEST

/* --- no layers, and any read may stop the machine --------------------------- */

static void is_begun(void *arg, uint64_t offset)
{
	(void)arg;
	(void)offset;
	ck_assert(l.t.memory[0].safe || l.t.memory[1].safe);
}

static void init_cautious(unsigned count)
{
	init(count, 2, 3);
	l.t.settings.policy = NULL;
	memset(l.classes, CLASS_KERNEL, SIZE / GRANULE + 1);
	l.t.settings.cautious = 0.02;
	l.source.before = is_begun;
}

/* An output is safe before the first read, and then at any time but for what it took last. */
START_TEST(test_cautious)
{
	init_cautious(threads[_i]);
	l.t.interval = 0.01;
	l.t.memory[0].delay = l.t.memory[1].delay = 5000;
	trial_run(&l.t);
	ck_assert_int_eq(l.t.status, STATUS_OK);
	layer_trial_assert_members(&l);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_uint_ge(checkpoints_of(i, 0), 2);
	for (unsigned i = 0; i < l.taken; i++)
		ck_assert(!l.checkpoints[i].whole && l.checkpoints[i].safe[l.checkpoints[i].sink] + SUPERBLOCK_LENGTH >=
			  l.checkpoints[i].index);
	layer_trial_free(&l);
}
END_TEST

/* Nothing is read before the superblock of the other one is safe. */
START_TEST(test_cautious_fails)
{
	init_cautious(threads[_i]);
	l.t.memory[0].fail_append = 1;
	l.t.memory[0].errnum = EIO;
	l.t.memory[1].delay = 50000;
	trial_run(&l.t);
	ck_assert_int_eq(l.t.status, STATUS_OK);
	ck_assert_int_eq(trial_state(&l.t, 0), SINK_DEAD);
	layer_trial_free(&l);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("capture_checkpoints");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_serial);
	tcase_add_loop_test(tcase, test_threads, 1, LENGTH(threads));
	tcase_add_loop_test(tcase, test_pipe, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_lost, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_not_synced, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_full, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_hangs, 1, LENGTH(threads));
	tcase_add_loop_test(tcase, test_marked_pipe, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_marked_stopped, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_marked_hangs, 0, 2 * 8);
	tcase_add_loop_test(tcase, test_cautious, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_cautious_fails, 0, LENGTH(threads));
	return helper_run_case("capture_checkpoints", tcase);
}
