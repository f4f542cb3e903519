// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Progress lines.  On a terminal, one line that is redrawn, fits its width and has a bar; otherwise
 * a line every second for ten seconds, every ten seconds for ten minutes, and then every minute.
 */
#ifndef NSPLIT_CMD_COMMON_PROGRESS_H
#define NSPLIT_CMD_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of choices_when. */
enum progress_mode {
	PROGRESS_AUTO,		/* unless --quiet */
	PROGRESS_ALWAYS,
	PROGRESS_NEVER,
};

struct progress {
	bool shown;
	bool redraws;		/* on a terminal */
	double due;		/* time of the next line, in seconds since the start */
};

enum { PROGRESS_STAGE_LENGTH = 32 };

/* The figures in a line. */
struct progress_figures {
	uint64_t done, total;	/* bytes of the source; total UINT64_MAX: unknown */
	uint64_t moved;		/* bytes of members written or read: see verb */
	const char *verb;	/* "written"; NULL: moved is not shown */
	double ratio;		/* of compression; 0: not shown */
	const char *action;	/* what is done with the bytes, such as "searched", or NULL */
	/* The step after all bytes, shown in place of the speed and the time left; or empty. */
	char stage[PROGRESS_STAGE_LENGTH];
	unsigned failed, full;	/* outputs, which a terminal shows: a log has the messages */
	double seconds;		/* since the start */
};

void progress_init(struct progress *p, enum progress_mode mode, bool quiet);

/* Seconds between calls of the next two functions, of which not every one prints a line. */
double progress_interval(const struct progress *p);

enum { PROGRESS_LINE_LENGTH = 320 };

/* Prints a line if one is due; a terminal shows what fits of it.  seconds: since the start. */
void progress_line(struct progress *p, double seconds, const char *line);
/* The same with figures, of which those that matter most fit the terminal beside a bar. */
void progress_tick(struct progress *p, const struct progress_figures *figures);
/* Prints a line at once, as a message: for SIGUSR1. */
void progress_now(const struct progress_figures *figures);
/* Clears the progress line. */
void progress_end(struct progress *p);

#endif
