// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helper.h"
#include "io/line_writer.h"

/* A pipe, optionally full from the start. */
static void make_pipe(int fds[2], bool full)
{
	static const char filling[4096];

	ck_assert_int_eq(pipe(fds), 0);
	if (!full)
		return;
	ck_assert_int_eq(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	while (write(fds[1], filling, sizeof(filling)) > 0)
		;
	ck_assert_int_eq(fcntl(fds[1], F_SETFL, 0), 0);
}

/* Reads pages of the initial contents from the pipe. */
static void take_filling(int fd, int pages)
{
	static char filling[4096];

	for (; pages > 0; pages--)
		ck_assert_int_eq(read(fd, filling, sizeof(filling)), sizeof(filling));
}

static void empty_pipe(int fd)
{
	take_filling(fd, fcntl(fd, F_GETPIPE_SZ) / 4096);
}

static size_t describe(unsigned dropped, char *line)
{
	return (size_t)snprintf(line, LINE_WRITER_LINE, "%u dropped\n", dropped);
}

static void put(struct line_writer *w, const char *line)
{
	line_writer_put(w, line, strlen(line));
}

/* Everything up to the end of the pipe; the caller frees it. */
static char *read_all(int fds[2])
{
	size_t used = 0, size = 1 << 20;
	char *text = calloc(1, size);
	ssize_t n;

	close(fds[1]);
	while ((n = read(fds[0], text + used, size - 1 - used)) > 0)
		used += (size_t)n;
	close(fds[0]);
	return text;
}

/* No line is dropped before least lines were kept. */
static unsigned add_dropped(unsigned kept, unsigned least, unsigned dropped)
{
	ck_assert_uint_ge(kept, least);
	return kept + dropped;
}

/* Without a reader nothing blocks: the first lines are kept, the others are counted in their place. */
START_TEST(full_pipe_blocks_no_caller)
{
	enum { LINE = 100, LINES = 2 * LINE_WRITER_MEMORY / LINE, FIT = LINE_WRITER_MEMORY / (LINE + 2) };
	struct line_writer *w;
	char line[LINE + 1], *text, *at;
	unsigned next = 0;
	int fds[2];

	make_pipe(fds, true);
	w = line_writer_new(fds[1], describe);
	for (int i = 0; i < 2 * LINES; i++) {
		snprintf(line, sizeof(line), "%0*d\n", LINE - 1, i);
		/* Some lines are accepted now, after those that were dropped. */
		if (i == LINES) {
			take_filling(fds[0], 1);
			usleep(10000);
		}
		put(w, line);
	}
	take_filling(fds[0], fcntl(fds[0], F_GETPIPE_SZ) / 4096 - 1);
	ck_assert(line_writer_drain(w));
	put(w, "the last\n");
	ck_assert(line_writer_end(w));
	at = text = read_all(fds);
	/* If the thread took the first line late, one more line fitted. */
	while (strcmp(at, "the last\n") != 0) {
		unsigned long number = strtoul(at, &at, 10);

		if (strncmp(at, " dropped\n", 9) == 0)
			next = add_dropped(next, FIT, (unsigned)number);
		else
			ck_assert_uint_eq(number, next++);
		at = strchr(at, '\n') + 1;
	}
	ck_assert_uint_eq(next, 2 * LINES);
	free(text);
}
END_TEST

START_TEST(progress_is_replaced_and_written_last)
{
	struct line_writer *w;
	char *text;
	int fds[2];

	make_pipe(fds, true);
	w = line_writer_new(fds[1], describe);
	/* The thread may already be writing this one. */
	put(w, "first\n");
	line_writer_put_progress(w, "1 %\n", 4);
	line_writer_put_progress(w, "2 %\n", 4);
	put(w, "second\n");
	line_writer_put_progress(w, "3 %\n", 4);
	put(w, "third\n");
	empty_pipe(fds[0]);
	ck_assert(line_writer_end(w));
	text = read_all(fds);
	ck_assert_str_eq(text, "first\nsecond\nthird\n3 %\n");
	free(text);
}
END_TEST

/* The wait at the end is bounded, and not repeated. */
START_TEST(end_times_out)
{
	struct line_writer *w;
	char *text;
	int fds[2];

	make_pipe(fds, true);
	w = line_writer_new(fds[1], describe);
	put(w, "one\n");
	put(w, "two\n");
	ck_assert(!line_writer_drain(w));
	ck_assert(!line_writer_end(w));
	/* The line writer was not freed, so it can still be used. */
	empty_pipe(fds[0]);
	put(w, "three\n");
	while (!line_writer_drain(w))
		usleep(1000);
	ck_assert(line_writer_end(w));
	text = read_all(fds);
	ck_assert_str_eq(text, "one\ntwo\nthree\n");
	free(text);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("line_writer");

	tcase_add_test(tcase, full_pipe_blocks_no_caller);
	tcase_add_test(tcase, progress_is_replaced_and_written_last);
	tcase_add_test(tcase, end_times_out);
	return helper_run_case("line_writer", tcase);
}
