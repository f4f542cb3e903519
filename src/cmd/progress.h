// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Progress: how far, how fast, how long still.  A line that is redrawn on a
 * terminal; a line a second elsewhere, as a serial console wants it.
 */
#ifndef NSPLIT_CMD_PROGRESS_H
#define NSPLIT_CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* In the order of choice_parse(). */
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

/* Seconds between two lines. */
double progress_interval(const struct progress *p);

/* So many seconds after the start: shows the line that describe() writes, if one is due. */
enum { PROGRESS_LINE_LENGTH = 160 };
void progress_line(struct progress *p, double seconds,
		   void (*describe)(const void *arg, char line[PROGRESS_LINE_LENGTH]),
		   const void *arg);
/* The same with figures. */
void progress_tick(struct progress *p, const struct progress_figures *figures);
/* Shows a line of its own at once: SIGUSR1. */
void progress_now(const struct progress_figures *figures);
/* Makes room for what is said at the end. */
void progress_end(struct progress *p);

#endif
