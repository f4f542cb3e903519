// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a program says on standard error: "nsplit: ..." one sentence a line.
 * Safe from many threads, and without a lock; a progress line that stands on the terminal is
 * cleared first, and drawn anew by the next tick.
 */
#ifndef NSPLIT_CMD_MESSAGE_H
#define NSPLIT_CMD_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* The exit statuses of all programs; man pages, EXIT STATUS. */
enum exit_status {
	EXIT_PERFECT = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_INCOMPLETE = 3,
};

/*
 * First of all: a descriptor 0, 1 or 2 that the parent has closed must not become a
 * member, for messages to be written into.  It is taken by something that fails when it is
 * used, so that what should have gone there is missed.
 */
void message_open_standard(void);

/*
 * What a terminal would obey, which may be in the names of files, is replaced: base/text.h.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One line that takes the place of the one before, on a terminal. */
void message_redraw(const char *line);
/* Ends a line that was redrawn, so that what follows begins on its own. */
void message_end_redraw(void);

/* Is standard error a terminal that can redraw a line? */
bool message_on_terminal(void);

/*
 * The end of a program: what was printed on standard output must have got there.
 * Returns status, or EXIT_FAILED if it did not.
 */
int message_close_output(int status);

/* The end of a usage error: points to --help.  Returns EXIT_USAGE. */
int message_try_help(void);
/* All of a usage error. */
int message_usage_error(const struct error *e);

/*
 * Ranges of the source that are not there: lists the first ones, then their number.
 * Begin with { 0 }.
 */
struct message_ranges {
	unsigned count;
	uint64_t bytes;
};

void message_range(struct message_ranges *ranges, uint64_t offset, uint64_t length);
void message_ranges_end(const struct message_ranges *ranges);

#endif
