// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures with fallbacks: they take over one at a time, when no other output takes chunks, and are
 * not touched before.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "io/sink.h"
#include "io/source.h"
#include "trial.h"

enum { SIZE = 30 * TRIAL_CHUNK + 5000, RECORD = TRIAL_CHUNK + 4096 };

static const unsigned threads[] = { 0, 1, 2, 5 };	/* 0: serial mode */

static uint8_t *bytes;
static struct trial_source source;
static struct trial t;

static void setup(void)
{
	bytes = trial_bytes_new(TRIAL_RANDOM, SIZE);
	trial_source_init(&source, bytes, SIZE);
}

static void teardown(void)
{
	free(bytes);
}

/* What the letters of kinds mean. */
static void set_kind(unsigned i, char kind)
{
	struct trial_sink *m = &t.memory[i];

	m->delay = 100;
	m->errnum = EIO;
	switch (kind) {
	case 'o':		/* does not even accept its superblock */
		m->fail_append = 1;
		break;
	case 'd':		/* dies after a few records */
		m->fail_append = 4;
		break;
	case 'F':		/* is full after a few records; what it holds counts */
		*m = (struct trial_sink){ .fail_behind = 4096 + 2 * RECORD + 8192,
					  .errnum = ENOSPC, .rewinds = true };
		break;
	case 's':		/* dies at its sync, or behind its footer */
	case 'S':
		m->fail_sync = kind == 's' ? 1 : 2;
		break;
	case 'c':		/* ends, well or badly */
	case 'x':
		m->fail_finish = kind == 'x';
		trial_sink_ends(&t.sinks[i]);
		break;
	default:		/* 'f': all is well */
		break;
	}
}

/* kinds: the ordinary ones, a space, the fallbacks. */
static void init(struct source *from, unsigned count, const char *kinds)
{
	unsigned ordinary = (unsigned)strcspn(kinds, " ");
	unsigned fallbacks = (unsigned)strlen(kinds) - ordinary - 1;

	trial_init(&t, from, ordinary + fallbacks);
	t.settings.presets = presets_of(&codec_raw, 0);
	trial_set_threads(&t, count);
	t.settings.stripe = true;		/* so that each gets a chunk */
	t.settings.fallbacks = fallbacks;
	for (unsigned i = 0; i < t.outputs; i++)
		set_kind(i, kinds[i + (i >= ordinary)]);
}

static char letter_of(unsigned i)
{
	switch (trial_state(&t, i)) {
	case SINK_TAKING:
	case SINK_ENDED:
		return 'w';
	case SINK_FULL:
		return 'F';
	case SINK_DEAD:
		return 'd';
	case SINK_RESERVED:
		return 'u';
	default:
		return '?';
	}
}

static void check_states(const char *states)
{
	char got[TRIAL_OUTPUTS + 1] = "";

	for (unsigned i = 0; i < t.outputs; i++) {
		got[i] = letter_of(i);
		if (got[i] == 'u') {
			ck_assert_uint_eq(t.memory[i].appends, 0);
			ck_assert_uint_eq(t.memory[i].syncs, 0);
		}
	}
	ck_assert_str_eq(got, states);
}

static const struct {
	const char *kinds, *states;
	unsigned called;
	bool lost;			/* all of it */
} cases[] = {
	{ "f f", "wu", 0, false }, { "fff ff", "wwwuu", 0, false }, { "cc f", "wwu", 0, false },
	{ "df f", "dwu", 0, false }, { "fS f", "wdu", 0, false },
	{ "d f", "dw", 1, false }, { "dd f", "ddw", 1, false }, { "dd ff", "ddwu", 1, false },
	{ "o f", "dw", 1, false }, { "oo ff", "ddwu", 1, false }, { "F f", "Fw", 1, false },
	{ "FF ff", "FFwu", 1, false }, { "s f", "dw", 1, false }, { "S f", "dw", 1, false },
	{ "x f", "dw", 1, false }, { "xx f", "ddw", 1, false }, { "d c", "dw", 1, false },
	/* The fallback fails, too. */
	{ "d df", "ddw", 2, false }, { "o oof", "dddw", 3, false }, { "F dF", "FdF", 2, true },
	{ "d Ff", "dFw", 2, false }, { "d sf", "ddw", 2, false }, { "d Sf", "ddw", 2, false },
	{ "x xf", "ddw", 2, false }, { "c xf", "wuu", 0, false },
	/* A command that ends well makes up for the others, and the fallback is not used. */
	{ "cx x", "wdu", 0, false }, { "cx o", "wdu", 0, false }, { "cxx f", "wddu", 0, false },
	{ "xc f", "dww", 1, false },
	{ "d d", "dd", 1, true }, { "x x", "dd", 1, true }, { "oo oo", "dddd", 2, true },
};

START_TEST(test_cases)
{
	for (size_t n = 0; n < LENGTH(threads); n++) {
		init(&source.source, threads[n], cases[_i].kinds);
		trial_run(&t);
		check_states(cases[_i].states);
		ck_assert_uint_eq(t.called, cases[_i].called);
		if (!cases[_i].lost)
			trial_assert_perfect(&t, bytes, SIZE);
		else if (strchr(cases[_i].states, 'F'))
			ck_assert_int_eq(t.status, STATUS_MISSING);
		else
			ck_assert_int_eq(t.status, STATUS_SYSTEM);
		trial_free(&t);
	}
}
END_TEST

/* The superblocks say which members may not exist. */
START_TEST(test_superblock)
{
	struct superblock sb;

	init(&source.source, threads[_i], "Ff fff");
	trial_run(&t);
	trial_assert_perfect(&t, bytes, SIZE);
	check_states("Fwuuu");
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(superblock_decode(&sb, t.memory[i].bytes), STATUS_OK);
		ck_assert_uint_eq(sb.number, i);
		ck_assert_uint_eq(sb.members, 5);
		ck_assert_uint_eq(sb.fallbacks, 3);
	}
	trial_free(&t);
}
END_TEST

/*
 * If the source is a stream, the fallback gets what comes from then on.  What the failed output
 * held is lost.
 */
START_TEST(test_stream)
{
	struct sink_stats lost;
	struct source *fifo;
	struct error e;
	int sender;

	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	sender = open("fifo", O_RDWR);
	ck_assert_int_eq(source_open(&fifo, "fifo", MMAP_AUTO, &e), STATUS_OK);
	fcntl(sender, F_SETPIPE_SZ, 1 << 18);
	ck_assert_int_eq(write(sender, bytes, 10 * TRIAL_CHUNK), 10 * TRIAL_CHUNK);
	close(sender);
	init(fifo, threads[_i], "d f");
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_MISSING);
	check_states("dw");
	lost = capture_get_sink(t.capture, 0);
	ck_assert_uint_eq(trial_missing(&t), lost.source_bytes);
	ck_assert_uint_eq(trial_missing(&t), 2 * TRIAL_CHUNK);
	ck_assert_uint_eq(fifo->size, 10 * TRIAL_CHUNK);
	trial_free(&t);
	source_close(fifo);
}
END_TEST

/* --- names that cannot be had ---------------------------------------------- */

static void probe_again(unsigned i, const char *name)
{
	struct error e;

	sink_free(&t.sinks[i]);
	ck_assert_int_eq(sink_probe(&t.sinks[i], name, NULL, 0, DIRECT_AUTO, &e), STATUS_SYSTEM);
}

/* The fallback is activated before anything is captured, even if it is lost, too. */
START_TEST(test_lost_before)
{
	init(&source.source, threads[_i], "f ff");
	probe_again(0, "nowhere/a");
	probe_again(1, "nowhere/b");
	trial_run(&t);
	trial_assert_perfect(&t, bytes, SIZE);
	check_states("ddw");
	ck_assert_uint_eq(t.failed, 2);
	trial_free(&t);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("fallback");

	helper_use_directory(tcase);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_cases, 0, LENGTH(cases));
	tcase_add_loop_test(tcase, test_superblock, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_stream, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_lost_before, 0, LENGTH(threads));
	return helper_run_case("capture_fallback", tcase);
}
