// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures that end early or might never end: stopped, with no output left, short of memory.  A
 * capture that does not return fails by the time limit.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "helper.h"
#include "io/source.h"
#include "trial.h"

enum { SIZE = 100 * TRIAL_CHUNK };

static const unsigned threads[] = { 0, 1, 2, 5 };	/* 0: serial mode */

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

static void init(struct trial *t, struct source *from, unsigned count, unsigned outputs)
{
	trial_init(t, from, outputs);
	t->settings.presets = presets_of(&codec_raw, 0);		/* so that a record's length is known */
	trial_set_threads(t, count);
}

/* --- outputs that all go away -------------------------------------------- */

/*
 * Waits, in a worker, until an output has failed and all that follows from it is done; but not for
 * the first chunks, which t->arg counts: they must be there to make it fail.
 */
static void wait_for_failure(void *arg, uint64_t offset)
{
	struct trial *t = arg;

	if (offset / TRIAL_CHUNK < *(const uint64_t *)t->arg)
		return;
	for (int i = 0; i < 5000 && !t->failed; i++)
		usleep(1000);
	usleep(5000);
}

/* The same with one that is full and counts. */
START_TEST(test_chunk_comes_late_to_full)
{
	uint64_t offset = 0, length, first = 2;
	struct trial t;

	init(&t, &source.source, 2 + (unsigned)_i, 1);
	source.before = wait_for_failure;
	source.arg = &t;
	t.arg = &first;
	/* Space for one record of 20480 bytes, the index and the footer. */
	t.memory[0] = (struct trial_sink){ .fail_behind = 4096 + 20480 + 8192,
					   .errnum = ENOSPC, .rewinds = true };
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_MISSING);
	ck_assert_int_eq(trial_state(&t, 0), SINK_FULL);
	/* One of the first two was written, and either may have been ready first. */
	ck_assert(capture_missing(t.capture, &offset, &length));
	if (!offset) {
		ck_assert_uint_eq(length, TRIAL_CHUNK);
		offset = length;
		ck_assert(capture_missing(t.capture, &offset, &length));
		ck_assert_uint_eq(offset, 2 * TRIAL_CHUNK);
	} else {
		ck_assert_uint_eq(offset, TRIAL_CHUNK);
	}
	ck_assert_uint_eq(length, SIZE - offset);
	trial_free(&t);
}
END_TEST

/* --- waking the right one ------------------------------------------------ */

static void sleep_a_little(void *arg, uint64_t offset)
{
	(void)arg, (void)offset;
	usleep(300);
}

/*
 * Writers of full outputs wait beside the one that takes chunks.  With memory for a single chunk,
 * the right one must be woken.
 */
START_TEST(test_full_ones_do_not_take_the_wake)
{
	struct trial t;

	init(&t, &source.source, 1 + (unsigned)_i % 2, 8);
	source.before = sleep_a_little;
	t.chunks = _i < 2 ? 1 : 0;
	for (unsigned i = 0; i < 8; i++)
		if (i != 5)
			t.memory[i] = (struct trial_sink){ .fail_behind = 4096 + 8192,
							   .errnum = ENOSPC, .rewinds = true };
	trial_run(&t);
	trial_assert_perfect(&t, bytes, SIZE);
	ck_assert_int_eq(trial_state(&t, 5), SINK_TAKING);
	trial_free(&t);
}
END_TEST

/* --- stop ---------------------------------------------------------------- */

static void stop_after_some(struct trial *t)
{
	struct capture_progress p = capture_get_progress(t->capture);

	if (p.source_bytes >= *(const uint64_t *)t->arg)
		capture_stop(t->capture);
}

/* What was captured until then is in members that are closed in order. */
static void check_stopped(struct trial *t, uint64_t at_least)
{
	struct member_facts facts[TRIAL_OUTPUTS];
	uint64_t held = 0;
	struct copy copy;

	ck_assert_int_eq(t->status, STATUS_STOPPED);
	trial_read(t, bytes, SIZE, &copy, facts);
	for (uint64_t i = 0; i < copy.chunks; i++) {
		ck_assert_uint_le(copy.seen[i], 1);
		held += copy.seen[i];
	}
	for (unsigned i = 0; i < t->outputs; i++) {
		ck_assert(facts[i].footer.stopped);
		ck_assert_uint_eq(facts[i].footer.set.source_size, SIZE);
	}
	ck_assert_uint_eq(held * TRIAL_CHUNK + trial_missing(t), SIZE);
	ck_assert_uint_ge(held * TRIAL_CHUNK, at_least);
	ck_assert(!capture_written(t->capture));
	trial_free_facts(t, facts);
	copy_free(&copy);
}

START_TEST(test_stop)
{
	static const uint64_t moments[] = { 0, 1, 10 * TRIAL_CHUNK };

	for (size_t m = 0; m < LENGTH(moments); m++) {
		for (unsigned k = 1; k <= 8; k += 7) {
			struct trial t;

			init(&t, &source.source, threads[_i], k);
			source.before = sleep_a_little;
			t.settings.stripe = m == 1;
			t.interval = 0.001;
			t.on_tick = stop_after_some;
			t.arg = (void *)&moments[m];
			for (unsigned i = 0; i < k; i++)
				t.memory[i].delay = 1000;
			trial_run(&t);
			check_stopped(&t, moments[m]);
			ck_assert_uint_ge(t.ticks, 1);
			trial_free(&t);
		}
	}
}
END_TEST

/* When one of two outputs is safe. */
static void stop_while_syncing(struct trial *t)
{
	struct capture_progress p = capture_get_progress(t->capture);

	if (p.syncing == 1) {
		ck_assert_uint_eq(p.source_bytes, SIZE);
		capture_stop(t->capture);
		t->memory[0].released = true;
	}
}

/* Nothing is missing then. */
START_TEST(test_stop_while_syncing)
{
	struct capture_progress p;
	struct trial t;

	init(&t, &source.source, 2, 2);
	t.memory[0].hang_sync = 1;
	t.interval = 0.001;
	t.on_tick = stop_while_syncing;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_STOPPED);
	ck_assert(capture_written(t.capture));
	ck_assert_uint_eq(trial_missing(&t), 0);
	p = capture_get_progress(t.capture);
	ck_assert_uint_eq(p.syncing, 0);
	t.status = STATUS_OK;		/* apart from that */
	trial_assert_perfect(&t, bytes, SIZE);
	trial_free(&t);
}
END_TEST

static void stop_on_event(struct trial *t)
{
	uint64_t count;

	if (read(t->fd, &count, sizeof(count)) == (ssize_t)sizeof(count))
		capture_stop(t->capture);
}

/* A stream that neither continues nor ends does not hold up the end. */
START_TEST(test_stop_silent_stream)
{
	struct member_facts facts[TRIAL_OUTPUTS];
	int sender, event = eventfd(0, EFD_NONBLOCK);
	uint64_t one = 1, offset = 0, length;
	struct source *fifo;
	struct copy copy;
	struct error e;
	struct trial t;

	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	sender = open("fifo", O_RDWR);
	ck_assert_int_eq(source_open(&fifo, "fifo", MMAP_AUTO, &e), STATUS_OK);
	ck_assert_int_eq(write(sender, bytes, 2 * TRIAL_CHUNK + 100), 2 * TRIAL_CHUNK + 100);
	init(&t, fifo, threads[_i], 2);
	t.fd = event;
	t.interval = 1000;
	t.on_tick = stop_on_event;
	ck_assert_int_eq(write(event, &one, sizeof(one)), (ssize_t)sizeof(one));
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_STOPPED);
	ck_assert(!capture_missing(t.capture, &offset, &length));
	ck_assert(!capture_written(t.capture));
	trial_read(&t, bytes, fifo->size, &copy, facts);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert(facts[i].footer.stopped);
		ck_assert_uint_eq(facts[i].footer.set.source_size, SOURCE_SIZE_UNKNOWN);
	}
	trial_free_facts(&t, facts);
	copy_free(&copy);
	trial_free(&t);
	source_close(fifo);
	close(sender);
	close(event);
}
END_TEST

/* --- limits --------------------------------------------------------------- */

/* The capture has ended at the limit of size, with as many records as fit and all members closed. */
static void check_size(struct trial *t, uint64_t limit)
{
	struct member_facts facts[TRIAL_OUTPUTS];
	uint64_t length = 0, held = 0;
	struct copy copy;

	ck_assert_int_eq(t->status, STATUS_MISSING);
	trial_read(t, bytes, SIZE, &copy, facts);
	for (unsigned i = 0; i < t->outputs; i++) {
		if (trial_state(t, i) == SINK_DEAD)
			continue;
		length += t->memory[i].length;
		ck_assert(!facts[i].footer.stopped);
	}
	ck_assert_uint_le(length, limit);
	/* One without records needs no index. */
	ck_assert_uint_gt(length + TRIAL_CHUNK + 4096 + t->outputs * 4096, limit);
	for (unsigned i = 0; i < SIZE / TRIAL_CHUNK; i++)
		held += copy.seen[i];
	ck_assert_uint_eq(held * TRIAL_CHUNK + trial_missing(t), SIZE);
	trial_free_facts(t, facts);
	copy_free(&copy);
}

/* The first output is a command with _i & 1. */
START_TEST(test_size_limit)
{
	for (unsigned k = 1; k <= 8; k += 7)
		for (uint64_t limit = 300000; limit < SIZE; limit += 333333) {
			struct trial t;

			init(&t, &source.source, threads[_i / 2], k);
			t.settings.limits.size = limit;
			if (_i & 1)
				trial_sink_ends(&t.sinks[0]);
			trial_run(&t);
			ck_assert_uint_eq(t.failed, 0);
			check_size(&t, limit);
			trial_free(&t);
		}
}
END_TEST

/* If an output fails after the limit was reached, the others take what it had. */
START_TEST(test_taken_again)
{
	struct trial t;

	init(&t, &source.source, threads[_i], 2);
	t.settings.limits.size = SIZE / 2;
	t.settings.stripe = true;
	t.memory[0].fail_sync = 1;
	t.memory[0].errnum = EIO;
	trial_run(&t);
	ck_assert_uint_eq(t.failed, 1);
	ck_assert_int_eq(trial_state(&t, 0), SINK_DEAD);
	check_size(&t, SIZE / 2);
	trial_free(&t);
}
END_TEST

/* Nothing fits. */
START_TEST(test_size_too_small)
{
	struct trial t;

	init(&t, &source.source, threads[_i], 2);
	t.settings.limits.size = 20000;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_SYSTEM);
	ck_assert_str_eq(t.error.text, "nothing was captured: the limit of 19.5 KiB is reached");
	trial_free(&t);
}
END_TEST

/* Each append takes so long that only some fit. */
START_TEST(test_time_limit)
{
	struct trial t;

	init(&t, &source.source, threads[_i], 2);
	t.settings.limits.seconds = 5;
	t.settings.limits.began = clock_seconds();
	t.memory[0].delay = t.memory[1].delay = 200000;
	t.interval = 0.01;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_MISSING);
	ck_assert_uint_gt(trial_missing(&t), 0);
	ck_assert_uint_lt(trial_missing(&t), SIZE);
	ck_assert_uint_eq(t.failed, 0);
	trial_free(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture_ends");
	TCase *outputs = tcase_create("outputs"), *stop = tcase_create("stop"), *limits = tcase_create("limits");

	tcase_add_checked_fixture(outputs, setup, teardown);
	tcase_set_timeout(outputs, 30);
	tcase_add_loop_test(outputs, test_chunk_comes_late_to_full, 0, 2);
	tcase_add_loop_test(outputs, test_full_ones_do_not_take_the_wake, 0, 4);
	suite_add_tcase(suite, outputs);
	helper_use_directory(stop);
	tcase_add_checked_fixture(stop, setup, teardown);
	tcase_set_timeout(stop, 60);
	tcase_add_loop_test(stop, test_stop, 0, LENGTH(threads));
	tcase_add_test(stop, test_stop_while_syncing);
	tcase_add_loop_test(stop, test_stop_silent_stream, 0, LENGTH(threads));
	suite_add_tcase(suite, stop);
	tcase_add_checked_fixture(limits, setup, teardown);
	tcase_set_timeout(limits, 60);
	tcase_add_loop_test(limits, test_size_limit, 0, 2 * LENGTH(threads));
	tcase_add_loop_test(limits, test_taken_again, 0, LENGTH(threads));
	tcase_add_loop_test(limits, test_size_too_small, 0, LENGTH(threads));
	tcase_add_loop_test(limits, test_time_limit, 0, LENGTH(threads));
	suite_add_tcase(suite, limits);
	return helper_run(suite);
}
