// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures in which an output hangs, at every possible moment: it is abandoned, and the copy is
 * complete as long as another output is left.
 *
 * What a hung thread may still use is never freed, so the trials are static: each test is a process
 * of its own.
 */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "helper.h"
#include "trial.h"

enum {
	SIZE = 30 * TRIAL_CHUNK + 5000,
	COME_BACK = 30000,		/* milliseconds that a released call may take at most */
};

/* Where sink 1 hangs: superblock, records, index; its fsync before and after the footer. */
static const struct { unsigned append, sync; } hangs[] = {
	{ 1, 0 }, { 2, 0 }, { 4, 0 }, { 0, 1 }, { 0, 2 },
};

enum { HANGS = sizeof(hangs) / sizeof(hangs[0]) };

static uint8_t *bytes;
static struct trial_source source;
static struct trial t;

static void setup(void)
{
	bytes = trial_bytes_new(TRIAL_RANDOM, SIZE);
	trial_source_init(&source, bytes, SIZE);
}

static void init(unsigned threads, unsigned outputs, int hang)
{
	trial_init(&t, &source.source, outputs);
	t.settings.presets = presets_of(&codec_raw, 0);
	t.settings.threads = threads;
	t.settings.sink_timeout = 0.5;
	t.interval = 0.01;
	t.memory[1].hang_append = hangs[hang].append;
	t.memory[1].hang_sync = hangs[hang].sync;
	for (unsigned i = 0; i < outputs; i++)
		t.memory[i].delay = i == 1 ? 0 : 3000;	/* so that sink 1 gets a chunk */
}

static void assert_given_up(unsigned sink)
{
	struct sink_stats stats = capture_get_sink(t.capture, sink);

	ck_assert_int_eq(stats.state, SINK_DEAD);
	ck_assert(stats.hung);
	ck_assert_str_eq(stats.why.text, sink ? "sink1: no answer for 0.5 s"
					      : "sink0: no answer for 0.5 s");
}

START_TEST(test_one_hangs)
{
	static const unsigned threads[] = { 1, 2, 5, 1, 2 };

	init(threads[_i], 3, _i);
	trial_run(&t);
	assert_given_up(1);
	ck_assert_uint_eq(t.failed, 1);
	trial_assert_perfect(&t, bytes, SIZE);
	capture_free(t.capture);	/* frees nothing, since a call hangs */
}
END_TEST

/* So that all outputs get chunks. */
static void read_slowly(void *arg, uint64_t offset)
{
	(void)arg;
	(void)offset;
	usleep(3000);
}

/* To files without a delay, whose calls do not sleep, workers write. */
static void init_fast(unsigned threads, unsigned outputs)
{
	init(threads, outputs, 2);
	source.before = read_slowly;
	for (unsigned i = 0; i < outputs; i++) {
		t.memory[i].delay = 0;
		t.memory[i].rewinds = true;
	}
}

/* The writer of the output becomes the worker that hangs in it, and hangs in another output. */
START_TEST(test_workers_hang)
{
	init_fast((unsigned)_i + 1, 3);
	t.memory[0].hang_append = 7;
	trial_run(&t);
	assert_given_up(0);
	assert_given_up(1);
	trial_assert_perfect(&t, bytes, SIZE);
}
END_TEST

/* The only worker's call returns when half of the source is captured. */
static void release_late(struct trial *trial)
{
	struct capture_progress progress = capture_get_progress(trial->capture);

	if (progress.source_bytes > SIZE / 2)
		trial->memory[1].released = true;
}

START_TEST(test_worker_returns)
{
	init_fast(1, 2);
	t.settings.sink_timeout = 10;
	t.on_tick = release_late;
	trial_run(&t);
	ck_assert_uint_eq(t.memory[1].returned, 1);
	ck_assert_uint_eq(t.failed, 0);
	trial_assert_perfect(&t, bytes, SIZE);
	trial_free(&t);
}
END_TEST

static void release_soon(struct trial *trial)
{
	static unsigned ticks;

	trial->memory[0].released = ++ticks > 50;
}

/* The worker that has become the writer closes the output, and finds what it holds. */
START_TEST(test_worker_returns_and_fails)
{
	struct sink_stats stats;

	init_fast(1, 1);
	t.settings.sink_timeout = 10;
	t.memory[0].hang_append = t.memory[0].fail_append = 4;
	t.memory[0].errnum = EIO;
	t.on_tick = release_soon;
	trial_run(&t);
	ck_assert_uint_eq(t.memory[0].returned, 1);
	stats = capture_get_sink(t.capture, 0);
	ck_assert(stats.salvageable);
	ck_assert_int_eq(t.status, STATUS_MISSING);
	trial_free(&t);
}
END_TEST

/* The call returns when the others have taken over, and the writer finds that it was abandoned. */
static void release(struct trial *trial)
{
	if (trial->failed)
		trial->memory[1].released = true;
}

START_TEST(test_comes_back)
{
	init(2, 3, _i);
	t.on_tick = release;
	trial_run(&t);
	t.memory[1].released = true;
	for (unsigned i = 0; !t.memory[1].returned && i < COME_BACK; i++)
		usleep(1000);
	ck_assert_uint_eq(t.memory[1].returned, 1);
	usleep(20000);			/* for calls that must not come */
	ck_assert_uint_eq(t.memory[1].late, 0);
	assert_given_up(1);
	trial_assert_perfect(&t, bytes, SIZE);
}
END_TEST

START_TEST(test_all_hang)
{
	init(2, 2, _i);
	t.memory[0].hang_append = hangs[_i].append;
	t.memory[0].hang_sync = hangs[_i].sync;
	trial_run(&t);
	assert_given_up(0);
	assert_given_up(1);
	ck_assert_int_eq(t.status, STATUS_SYSTEM);
	ck_assert_str_eq(t.error.text, "nothing was captured: every output failed");
}
END_TEST

static void stop(struct trial *trial)
{
	capture_stop(trial->capture);
}

/* With a stop at once, when no record may reach another point to hang. */
START_TEST(test_stopped)
{
	static const int early[] = { 0, 3 };
	struct member_facts facts[TRIAL_OUTPUTS];
	struct copy copy;

	init(2, 3, early[_i]);
	t.memory[0].delay = t.memory[2].delay = 50000;
	t.on_tick = stop;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_STOPPED);
	assert_given_up(1);
	trial_read(&t, bytes, SIZE, &copy, facts);
	ck_assert(facts[0].footer.stopped);
	ck_assert(facts[2].footer.stopped);
	trial_free_facts(&t, facts);
	copy_free(&copy);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("capture_hung");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_one_hangs, 0, HANGS);
	tcase_add_loop_test(tcase, test_workers_hang, 0, 2);
	tcase_add_test(tcase, test_worker_returns);
	tcase_add_test(tcase, test_worker_returns_and_fails);
	tcase_add_loop_test(tcase, test_comes_back, 0, HANGS);
	tcase_add_loop_test(tcase, test_all_hang, 0, HANGS);
	tcase_add_loop_test(tcase, test_stopped, 0, 2);
	return helper_run_case("capture_hung", tcase);
}
