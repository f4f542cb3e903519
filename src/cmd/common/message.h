// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages on standard error, one line each: "nsplit: ...".  Any thread may print them.  A message
 * clears a progress line on the terminal; the next tick draws it again.
 */
#ifndef NSPLIT_CMD_COMMON_MESSAGE_H
#define NSPLIT_CMD_COMMON_MESSAGE_H

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
 * Call this first.  If the parent has closed descriptor 0, 1 or 2, a member could get its number
 * and messages would be written into it.  This occupies the number with something that cannot be
 * read or written, so that using it fails.
 */
void message_open_standard(void);

/*
 * From here to message_end(), no message waits for standard error, which may be a stopped terminal
 * (io/line_writer.h).  Call it after fork() and before other threads are created.  Without it, or if its
 * thread cannot be created, message() waits.
 */
void message_begin(void);
/* Waits a short time until messages are written.  False: standard error does not accept them. */
bool message_settle(void);
/* The same at the end of the program, when all other threads have ended. */
void message_end(void);

/* Control characters, which file names may contain, are replaced (base/text.h). */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints lines as they are, without the program's name. */
void message_lines(const char *text);

/* Prints a progress line.  If standard error does not accept it, the next one replaces it. */
void message_progress(const char *text);
/* On a terminal: replaces the line before, cut to the terminal's width. */
void message_redraw(const char *text);
/*
 * The columns for a progress line after the program's name.  They change with the terminal's size.
 */
unsigned message_columns(void);
/* Ends progress; the next message begins on its own line. */
void message_end_progress(bool redrawn);

/* True if standard error is a terminal that can redraw a line. */
bool message_on_terminal(void);

/* Writes what stdio holds of standard output.  Returns false if that failed; reports it once. */
bool message_flush_output(void);
/* At the end of a program: reports errors of standard output.  Returns status or EXIT_FAILED. */
int message_close_output(int status);

/* Reports a usage error, with a reference to --help.  Returns EXIT_USAGE. */
int message_usage_error(const struct error *e);

/* A list of messages of which only the first are printed.  Any thread may add to it. */
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

enum {
	RANGES_LISTED = 20,		/* unless --verbose */
	/* From members, since they can be asked again for all. */
	RANGES_SHOWN = 5,
};

/* Ranges of the source that are missing: the first ones, then how many more, and their size. */
struct message_ranges {
	struct message_list list;
	uint64_t bytes;			/* in all ranges */
	uint64_t listed;		/* in those that were printed */
};

void message_ranges_begin(struct message_ranges *ranges, unsigned limit);
void message_range(struct message_ranges *ranges, uint64_t offset, uint64_t length);
void message_ranges_end(const struct message_ranges *ranges);

#endif
