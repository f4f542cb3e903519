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

#include "cmd/message.h"

#define CLEAR_LINE "\r\033[K"

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

void message(const char *format, ...)
{
	va_list ap;

	flockfile(stderr);
	if (message_on_terminal())
		fputs(CLEAR_LINE, stderr);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	putc('\n', stderr);
	fflush(stderr);
	funlockfile(stderr);
}

void message_redraw(const char *line)
{
	fprintf(stderr, CLEAR_LINE "%s: %s", program_invocation_short_name, line);
	fflush(stderr);
}

void message_end_redraw(void)
{
	fputs(CLEAR_LINE, stderr);
	fflush(stderr);
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
