// SPDX-License-Identifier: GPL-2.0-or-later
/* progress.c alone, with a simulated terminal. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/message.h"
#include "cmd/common/progress.h"
#include "helper.h"

/* The functions of message.h are replaced here; this is what they use and record. */
static struct {
	bool terminal;
	unsigned columns;
	unsigned lines;
	char last[PROGRESS_LINE_LENGTH];
} screen;

static void show(const char *text)
{
	screen.lines++;
	snprintf(screen.last, sizeof(screen.last), "%s", text);
}

bool message_on_terminal(void)
{
	return screen.terminal;
}

unsigned message_columns(void)
{
	return screen.columns;
}

void message_progress(const char *text)
{
	show(text);
}

void message_redraw(const char *text)
{
	show(text);
}

void message(const char *format, ...)
{
	char text[PROGRESS_LINE_LENGTH];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	show(text);
}

void message_end_progress(bool redrawn)
{
	(void)redrawn;
}

#define MOVED .done = 1288490189, .moved = 421632410, .seconds = 2.0479
#define WRITTEN MOVED, .verb = "written"
#define KNOWN WRITTEN, .total = 5153960755
#define STREAM WRITTEN, .total = UINT64_MAX, .ratio = 3.06

static const struct progress_figures known = { KNOWN, .ratio = 3.06 };

static const char *at_width(const struct progress_figures *figures, unsigned columns)
{
	struct progress p;

	screen.terminal = true;
	screen.columns = columns;
	progress_init(&p, PROGRESS_ALWAYS, false);
	progress_tick(&p, figures);
	return screen.last;
}

/* The environment may not have what a test needs. */
static const struct {
	struct progress_figures figures;
	unsigned columns;
	const char *line;
} lines[] = {
	{ { KNOWN, .ratio = 3.06 }, 99,
	  " 25 % [==>         ] 1.2/4.8 GiB, 402.1 MiB written, 600.0 MiB/s, ratio 3.06, 0:06 left" },
	{ { KNOWN, .ratio = 3.06 }, 71, " 25 % [=>      ] 1.2/4.8 GiB, 600.0 MiB/s, ratio 3.06, 0:06 left" },
	{ { KNOWN, .ratio = 10.24 }, 71, " 25 % [=>      ] 1.2/4.8 GiB, 600.0 MiB/s, ratio 10.24, 0:06 left" },
	{ { KNOWN, .ratio = 3.06 }, 60, " 25 % [>     ] 1.2/4.8 GiB, 600.0 MiB/s, 0:06 left" },
	{ { KNOWN, .ratio = 3.06 }, 49, "25 %, 1.2/4.8 GiB, 600.0 MiB/s, 0:06 left" },
	{ { KNOWN, .ratio = 3.06 }, 31, "25 %, 600.0 MiB/s, 0:06 left" },
	{ { KNOWN, .ratio = 3.06 }, 20, "25 %, 0:06 left" },
	{ { KNOWN, .ratio = 3.06 }, 10, "25 %" },
	/* Cut where it is written. */
	{ { KNOWN, .ratio = 3.06 }, 3, "25 %" },
	/* Outputs that have failed are counted. */
	{ { KNOWN, .ratio = 3.06, .failed = 1 }, 71, " 25 % [=>      ] 1.2/4.8 GiB, 600.0 MiB/s, 0:06 left, 1 failed" },
	{ { KNOWN, .failed = 1, .full = 2 }, 49, "25 %, 600.0 MiB/s, 0:06 left, 1 failed, 2 full" },
	{ { KNOWN, .full = 2 }, 40, "25 %, 600.0 MiB/s, 0:06 left, 2 full" },
	{ { KNOWN, .full = 2 }, 20, "25 %, 0:06 left" },
	/* A stage replaces speed and time left. */
	{ { KNOWN, .ratio = 3.06, .stage = "syncing 2 outputs" }, 72,
	  " 25 % [=>      ] 1.2/4.8 GiB, ratio 3.06, syncing 2 outputs" },
	{ { KNOWN, .stage = "syncing 2 outputs" }, 30, "25 %, syncing 2 outputs" },
	{ { STREAM, .stage = "syncing 2 outputs" }, 30, "1.2 GiB, syncing 2 outputs" },
	/* Another action than writing. */
	{ { MOVED, .total = 5153960755, .ratio = 3.06, .action = "searched" }, 71,
	  " 25 % [=>      ] 1.2/4.8 GiB searched, 600.0 MiB/s, 0:06 left" },
	{ { STREAM }, 200, "1.2 GiB, 402.1 MiB written, 600.0 MiB/s, ratio 3.06" },
	{ { STREAM }, 45, "1.2 GiB, 600.0 MiB/s, ratio 3.06" },
	{ { STREAM }, 25, "1.2 GiB, 600.0 MiB/s" },
	{ { STREAM }, 8, "1.2 GiB" },
	{ { STREAM }, 0, "1.2 GiB" },
};

START_TEST(line_fits_the_terminal)
{
	ck_assert_str_eq(at_width(&lines[_i].figures, lines[_i].columns), lines[_i].line);
}
END_TEST

START_TEST(bar_has_both_ends)
{
	struct progress_figures f = known;

	f.done = f.moved = 0;
	f.ratio = 0;
	ck_assert_str_eq(at_width(&f, 70), "  0 % [        ] 0 B/4.8 GiB, 0 B written, 0 B/s");
	f.done = f.total - 1;
	ck_assert_ptr_nonnull(strstr(at_width(&f, 70), " 99 % [======> ] 4.8/4.8 GiB, "));
	f.done = f.total;
	ck_assert_ptr_nonnull(strstr(at_width(&f, 70), "100 % [========] 4.8/4.8 GiB, "));
	f.done = f.total = 0;
	ck_assert_ptr_nonnull(strstr(at_width(&f, 70), "100 % [========] 0/0 B, "));
}
END_TEST

/* The width counts on a terminal only. */
START_TEST(line_of_a_log_is_whole)
{
	struct progress p;

	screen.terminal = false;
	screen.columns = 10;
	progress_init(&p, PROGRESS_ALWAYS, false);
	progress_tick(&p, &known);
	ck_assert_str_eq(screen.last, "25.0 %, 1.2 GiB of 4.8 GiB, 402.1 MiB written, 600.0 MiB/s, "
				      "ratio 3.06, 0:06 left");
	screen.terminal = true;
	progress_now(&known);
	ck_assert_ptr_nonnull(strstr(screen.last, "ratio 3.06, 0:06 left"));
}
END_TEST

/* Simulates a run of some seconds, with a call in each interval. */
static unsigned lines_within(unsigned seconds)
{
	struct progress_figures f = known;
	struct progress p;

	screen.lines = 0;
	progress_init(&p, PROGRESS_ALWAYS, false);
	for (unsigned i = 0; i * progress_interval(&p) <= seconds; i++) {
		/* Each look comes a little late. */
		f.seconds = i * (progress_interval(&p) + 1e-6);
		progress_tick(&p, &f);
	}
	return screen.lines;
}

START_TEST(log_gets_fewer_lines_later)
{
	screen.terminal = false;
	ck_assert_uint_eq(lines_within(10), 10);
	ck_assert_uint_eq(lines_within(19), 10);
	ck_assert_uint_eq(lines_within(20), 11);
	ck_assert_uint_eq(lines_within(600), 10 + 59);
	ck_assert_uint_eq(lines_within(659), 10 + 59);
	ck_assert_uint_eq(lines_within(3660), 10 + 59 + 51);
	screen.terminal = true;
	ck_assert_uint_gt(lines_within(120), 500);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("progress");

	tcase_add_loop_test(tcase, line_fits_the_terminal, 0, LENGTH(lines));
	tcase_add_test(tcase, bar_has_both_ends);
	tcase_add_test(tcase, line_of_a_log_is_whole);
	tcase_add_test(tcase, log_gets_fewer_lines_later);
	return helper_run_case("progress", tcase);
}
