// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/message.h"
#include "io/transfer.h"

#define CLEAR_LINE "\r\033[K"

/* A text holds any error and what is said about it; a line, the program's name besides. */
enum { TEXT_LENGTH = 1024, LINE_LENGTH = TEXT_LENGTH + 300 };

bool message_on_terminal(void)
{
	const char *term = getenv("TERM");

	return term && strcmp(term, "dumb") != 0 && isatty(STDERR_FILENO);
}

void message_open_standard(void)
{
	/*
	 * open() gives the lowest number that is free, and it is kept until the end.  A
	 * directory can be neither read nor written, and the root is there without /dev, too.
	 */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		// cppcheck-suppress leakReturnValNotUsed
		if (fcntl(fd, F_GETFD) < 0 && open("/", O_RDONLY | O_DIRECTORY) < 0)
			exit(EXIT_FAILED);
}

/*
 * In one write, so that the lines of several threads do not mix, and not through stdio, which
 * would hold a lock meanwhile: standard error may be a terminal that is stopped.  What
 * cannot be written there has nowhere else to go.
 */
static void put(const char *before, const char *text, const char *after)
{
	char line[LINE_LENGTH];
	int used = snprintf(line, sizeof(line), "%s%s: %s%s", before,
			    program_invocation_short_name, text, after);

	transfer_write(STDERR_FILENO, line, min_u64((uint64_t)used, sizeof(line) - 1));
}

void message(const char *format, ...)
{
	char text[TEXT_LENGTH];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	text_make_printable(text);
	put(message_on_terminal() ? CLEAR_LINE : "", text, "\n");
}

void message_redraw(const char *line)
{
	put(CLEAR_LINE, line, "");
}

void message_end_redraw(void)
{
	transfer_write(STDERR_FILENO, CLEAR_LINE, strlen(CLEAR_LINE));
}

int message_close_output(int status)
{
	if (fflush(stdout) != 0)
		message("standard output: %s", strerror(errno));
	else if (ferror(stdout))
		message("standard output: not all of it could be written");
	else
		return status;
	return EXIT_FAILED;
}

int message_try_help(void)
{
	fprintf(stderr, "Try '%s --help' for more information.\n", program_invocation_short_name);
	return EXIT_USAGE;
}

int message_usage_error(const struct error *e)
{
	message("%s", e->text);
	return message_try_help();
}

enum { RANGES_TOLD = 20 };

void message_range(struct message_ranges *ranges, uint64_t offset, uint64_t length)
{
	if (ranges->count++ < RANGES_TOLD)
		message("missing: bytes %" PRIu64 " to %" PRIu64, offset, offset + length - 1);
	ranges->bytes += length;
}

void message_ranges_end(const struct message_ranges *ranges)
{
	unsigned more = ranges->count > RANGES_TOLD ? ranges->count - RANGES_TOLD : 0;

	if (more)
		message("missing: %u more range%s", more, more == 1 ? "" : "s");
}
