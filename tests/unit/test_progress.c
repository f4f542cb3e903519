// SPDX-License-Identifier: GPL-2.0-or-later
/* progress.c alone, with a simulated terminal. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/message.h"
#include "cmd/progress.h"
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

static const struct progress_figures known = {
	.done = 1288490189, .total = 5153960755, .moved = 421632410, .verb = "written",
	.seconds = 2.0479,
};

static const char *at_width(const struct progress_figures *figures, unsigned columns)
{
	struct progress p;

	screen.terminal = true;
	screen.columns = columns;
	progress_init(&p, PROGRESS_ALWAYS, false);
	progress_tick(&p, figures);
	return screen.last;
}

START_TEST(line_fits_the_terminal)
{
	ck_assert_str_eq(at_width(&known, 82), "25.0 %, 1.2 GiB of 4.8 GiB, 402.1 MiB written, "
						"600.0 MiB/s, ratio 3.06, 0:06 left");
	ck_assert_str_eq(at_width(&known, 80), "25.0 %, 1.2 GiB of 4.8 GiB, 402.1 MiB written, "
						"600.0 MiB/s, 0:06 left");
	ck_assert_str_eq(at_width(&known, 60), "25.0 %, 1.2 GiB of 4.8 GiB, 600.0 MiB/s, "
						"0:06 left");
	ck_assert_str_eq(at_width(&known, 31), "25.0 %, 600.0 MiB/s, 0:06 left");
	ck_assert_str_eq(at_width(&known, 20), "25.0 %, 0:06 left");
	ck_assert_str_eq(at_width(&known, 10), "25.0 %");
	/* Cut where it is written. */
	ck_assert_str_eq(at_width(&known, 3), "25.0 %");
}
END_TEST

START_TEST(line_of_a_stream_fits)
{
	struct progress_figures f = known;

	f.total = UINT64_MAX;
	ck_assert_str_eq(at_width(&f, 200), "1.2 GiB, 402.1 MiB written, 600.0 MiB/s, ratio 3.06");
	ck_assert_str_eq(at_width(&f, 45), "1.2 GiB, 402.1 MiB written, 600.0 MiB/s");
	ck_assert_str_eq(at_width(&f, 25), "1.2 GiB, 600.0 MiB/s");
	ck_assert_str_eq(at_width(&f, 8), "1.2 GiB");
	ck_assert_str_eq(at_width(&f, 0), "1.2 GiB");
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
	ck_assert_ptr_nonnull(strstr(screen.last, "ratio 3.06, 0:06 left"));
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
	ck_assert_uint_eq(lines_within(60), 60);
	ck_assert_uint_eq(lines_within(69), 60);
	ck_assert_uint_eq(lines_within(70), 61);
	ck_assert_uint_eq(lines_within(3660), 60 + 360);
	screen.terminal = true;
	ck_assert_uint_gt(lines_within(120), 500);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("progress");
	TCase *tcase = tcase_create("progress");

	tcase_add_test(tcase, line_fits_the_terminal);
	tcase_add_test(tcase, line_of_a_stream_fits);
	tcase_add_test(tcase, line_of_a_log_is_whole);
	tcase_add_test(tcase, log_gets_fewer_lines_later);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
