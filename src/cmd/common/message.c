// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "io/line_writer.h"
#include "io/transfer.h"

#define CLEAR_LINE "\r\033[K"

/*
 * TEXT_LENGTH suffices for any error with a prefix and suffix; LINE_LENGTH adds the program's name.
 */
enum { TEXT_LENGTH = 1024, LINE_LENGTH = TEXT_LENGTH + 300 };
_Static_assert(LINE_LENGTH <= (int)LINE_WRITER_LINE, "a line fits into the line writer");

/* If the terminal does not report its width. */
enum { STANDARD_COLUMNS = 80 };

bool message_on_terminal(void)
{
	const char *term = getenv("TERM");

	return term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
}

void message_open_standard(void)
{
	/*
	 * open() returns the lowest free number; it stays open.  A directory can be neither read
	 * nor written, and the root directory exists without /dev, too.
	 */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		// cppcheck-suppress leakReturnValNotUsed
		if (fcntl(fd, F_GETFD) < 0 && open("/", O_RDONLY | O_DIRECTORY) < 0)
			exit(EXIT_FAILED);
}

/*
 * Global, since standard error belongs to the whole process and every function may print.  The main
 * thread sets it before it creates other threads, and clears it when they have ended.
 */
static struct line_writer *line_writer;

/* Makes "nsplit: text", cut if necessary; returns its length. */
static size_t compose(char line[LINE_LENGTH], const char *before, const char *text,
		      const char *after)
{
	int used = snprintf(line, LINE_LENGTH, "%s%s: %s%s", before,
			    program_invocation_short_name, text, after);

	return min_u64((uint64_t)used, LINE_LENGTH - 1);
}

/* The whole line of a message. */
static size_t compose_message(char line[LINE_LENGTH], char text[TEXT_LENGTH])
{
	text_make_printable(text);
	return compose(line, message_on_terminal() ? CLEAR_LINE : "", text, "\n");
}

/* tests/man-diagnostics.py finds the text of a message by the name of this function. */
static void __attribute__((format(printf, 2, 3)))
compose_text(char text[TEXT_LENGTH], const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, TEXT_LENGTH, format, ap);
	va_end(ap);
}

static size_t describe_dropped(unsigned dropped, char *line)
{
	char text[TEXT_LENGTH];

	compose_text(text, "%u message%s dropped: standard error was blocked", dropped,
		     plural(dropped));
	return compose_message(line, text);
}

void message_begin(void)
{
	line_writer = line_writer_new(STDERR_FILENO, describe_dropped);
}

bool message_settle(void)
{
	return !line_writer || line_writer_drain(line_writer);
}

void message_end(void)
{
	struct line_writer *ended = line_writer;

	line_writer = NULL;
	if (ended)
		line_writer_end(ended);
}

/*
 * One write for each line, so that lines of several threads do not mix.  Not through stdio, which
 * would hold a lock while a stopped terminal blocks.  Errors are ignored: there is nowhere to
 * report them.
 */
static void put(const char *line, size_t length)
{
	if (line_writer)
		line_writer_put(line_writer, line, length);
	else
		transfer_write(STDERR_FILENO, line, length);
}

/* Likewise; but a newer one replaces it, if there is a line writer. */
static void put_progress(const char *line, size_t length)
{
	if (line_writer)
		line_writer_put_progress(line_writer, line, length);
	else
		put(line, length);
}

void message(const char *format, ...)
{
	char text[TEXT_LENGTH], line[LINE_LENGTH];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	put(line, compose_message(line, text));
}

void message_lines(const char *text)
{
	while (*text) {
		const char *newline = strchr(text, '\n');
		size_t length = newline ? (size_t)(newline - text) + 1 : strlen(text);

		length = min_u64(length, LINE_LENGTH);
		put(text, length);
		text += length;
	}
}

void message_progress(const char *text)
{
	char line[LINE_LENGTH];

	put_progress(line, compose(line, "", text, "\n"));
}

/* Without the last column: some terminals begin a new line when it is filled. */
static unsigned line_columns(void)
{
	struct winsize size = { 0 };

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col - 1u;
	return STANDARD_COLUMNS - 1;
}

unsigned message_columns(void)
{
	unsigned all = line_columns();
	unsigned name = (unsigned)strlen(program_invocation_short_name) + 2;

	return all > name ? all - name : 0;
}

void message_redraw(const char *text)
{
	size_t clears = strlen(CLEAR_LINE);
	char line[LINE_LENGTH];

	compose(line, CLEAR_LINE, text, "");
	put_progress(line, clears + text_first(line + clears, line_columns()));
}

void message_end_progress(bool redrawn)
{
	if (line_writer)
		line_writer_put_progress(line_writer, "", 0);
	if (redrawn)
		put(CLEAR_LINE, strlen(CLEAR_LINE));
}

bool message_flush_output(void)
{
	/* Keeps the order of messages and output on a terminal. */
	message_settle();
	if (fflush(stdout) != 0)
		message("standard output: %s", strerror(errno));
	else if (ferror(stdout))
		message("standard output: not everything could be written");
	else
		return true;
	clearerr(stdout);
	return false;
}

int message_close_output(int status)
{
	return message_flush_output() ? status : EXIT_FAILED;
}

int message_usage_error(const struct error *e)
{
	message("%s", e->text);
	fprintf(stderr, "Try '%s --help' for more information.\n", program_invocation_short_name);
	return EXIT_USAGE;
}

enum message_entry message_list_next(struct message_list *list)
{
	unsigned before = list->count++;

	if (before < list->limit)
		return ENTRY_LISTED;
	return before == list->limit ? ENTRY_FIRST_OMITTED : ENTRY_OMITTED;
}

unsigned message_list_more(const struct message_list *list)
{
	return list->count > list->limit ? list->count - list->limit : 0;
}

void message_ranges_begin(struct message_ranges *ranges, unsigned limit)
{
	*ranges = (struct message_ranges){ .list.limit = limit };
}

void message_range(struct message_ranges *ranges, uint64_t offset, uint64_t length)
{
	char size[SIZE_TEXT_LENGTH];

	ranges->bytes += length;
	if (message_list_next(&ranges->list) != ENTRY_LISTED)
		return;
	ranges->listed += length;
	message("missing: bytes %" PRIu64 " to %" PRIu64 " (%s)", offset, offset + length - 1,
		size_format(length, size));
}

void message_ranges_end(const struct message_ranges *ranges)
{
	unsigned more = message_list_more(&ranges->list);
	char size[SIZE_TEXT_LENGTH];

	if (more)
		message("missing: %u more range%s, %s; njoin -v lists all of them", more,
			plural(more), size_format(ranges->bytes - ranges->listed, size));
}
