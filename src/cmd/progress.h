// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Progress: how far, how fast, how long still.  On a terminal one line that is redrawn and
 * fits the terminal's width; elsewhere a line a second in the first minute, then every ten
 * seconds.
 */
#ifndef NSPLIT_CMD_PROGRESS_H
#define NSPLIT_CMD_PROGRESS_H

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
	double due;		/* seconds since the start, of the next line */
};

/* What a line tells. */
struct progress_figures {
	uint64_t done, total;	/* bytes of the source; total UINT64_MAX: unknown */
	uint64_t moved;		/* bytes written out, or read in: see verb */
	const char *verb;	/* "written" */
	double seconds;		/* since the start */
};

void progress_init(struct progress *p, enum progress_mode mode, bool quiet);

/* Seconds between two calls of progress_line(); not each shows a line. */
double progress_interval(const struct progress *p);

/* Writes a progress line of at most that number of columns. */
enum { PROGRESS_LINE_LENGTH = 160 };
typedef void progress_describe(const void *arg, unsigned columns,
			       char line[PROGRESS_LINE_LENGTH]);

/* seconds: since the start.  Shows the line that describe() writes, if one is due. */
void progress_line(struct progress *p, double seconds, progress_describe *describe,
		   const void *arg);
/* The same with figures. */
void progress_tick(struct progress *p, const struct progress_figures *figures);
/* Shows a line of its own at once: SIGUSR1. */
void progress_now(const struct progress_figures *figures);
/* Makes room for what is said at the end. */
void progress_end(struct progress *p);

#endif
