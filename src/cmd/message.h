// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a program says on standard error: "nsplit: ..." one sentence a line.
 * Safe from many threads; a progress line that stands on the terminal is
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
 * From here to message_end(), no message waits for standard error, which may be a terminal that is
 * stopped: see io/line_writer.h, also for what a thread is good for.  Call it after fork() and before
 * any other thread is made.  A program that does not call it waits in message().
 */
void message_begin(bool thread);
/* Waits a short time for messages to be written.  False: standard error did not take them. */
bool message_settle(void);
/* The same at the end of the program, when no other thread is left. */
void message_end(void);

/*
 * What a terminal would obey, which may be in the names of files, is replaced: base/text.h.
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Lines of a text that brings its own form and newlines, without the program's name. */
void message_lines(const char *text);

/*
 * A line of progress, which need not be seen: a newer one replaces it if standard error has not
 * taken it.
 */
void message_progress(const char *text);
/* Likewise, on a terminal, in the place of the one before, and cut to the terminal's width. */
void message_redraw(const char *text);
/* Columns that a text may take there, behind the program's name.  Changes with the terminal. */
unsigned message_columns(void);
/* No more progress; what follows begins on a line of its own. */
void message_end_progress(bool redrawn);

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
 * A list of messages, of which only the first limit are printed.  Any thread may add to it.
 */
struct message_list {
	unsigned limit;			/* UINT_MAX: print all */
	_Atomic unsigned count;		/* of all entries */
};

enum message_entry {
	ENTRY_LISTED,			/* print it */
	ENTRY_FIRST_OMITTED,
	ENTRY_OMITTED,
};

/* Counts an entry and returns what to do with it. */
enum message_entry message_list_next(struct message_list *list);
/* The number of entries that were not printed. */
unsigned message_list_more(const struct message_list *list);

enum { RANGES_LISTED = 20 };		/* unless --verbose */

/* Ranges of the source that are missing: the first RANGES_LISTED or all, then how many more. */
struct message_ranges {
	struct message_list list;
	uint64_t bytes;			/* in all ranges */
};

void message_ranges_begin(struct message_ranges *ranges, bool all);
void message_range(struct message_ranges *ranges, uint64_t offset, uint64_t length);
void message_ranges_end(const struct message_ranges *ranges);

#endif
