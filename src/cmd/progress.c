// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "cmd/message.h"
#include "cmd/progress.h"

void progress_init(struct progress *p, enum progress_mode mode, bool quiet)
{
	p->shown = mode == PROGRESS_ALWAYS || (mode == PROGRESS_AUTO && !quiet);
	p->redraws = p->shown && message_on_terminal();
	p->due = progress_interval(p);
}

double progress_interval(const struct progress *p)
{
	return p->redraws ? 0.2 : 1.0;
}

/* Fewer lines after a minute, so that they do not fill the log of a long capture. */
static double until_next(const struct progress *p, double seconds)
{
	const double often = 60, seldom = 10;

	return p->redraws || seconds < often ? progress_interval(p) : seldom;
}

/* In the order of the line. */
enum part { PERCENT, DONE, MOVED, RATE, RATIO, LEFT, PARTS };
enum { PART_LENGTH = 2 * SIZE_TEXT_LENGTH + 32 };

static void write_parts(const struct progress_figures *f, char parts[PARTS][PART_LENGTH])
{
	char size[SIZE_TEXT_LENGTH], total[SIZE_TEXT_LENGTH];
	double speed = f->seconds > 0 ? (double)f->done / f->seconds : 0;
	double ratio = f->moved ? (double)f->done / (double)f->moved : 0;
	bool known = f->total != UINT64_MAX;

	memset(parts, 0, PARTS * sizeof(parts[0]));
	if (known)
		snprintf(parts[PERCENT], PART_LENGTH, "%.1f %%",
			 f->total ? 100.0 * (double)f->done / (double)f->total : 100.0);
	snprintf(parts[DONE], PART_LENGTH, "%s%s%s", size_format(f->done, size),
		 known ? " of " : "", known ? size_format(f->total, total) : "");
	if (f->verb)
		snprintf(parts[MOVED], PART_LENGTH, "%s %s", size_format(f->moved, size), f->verb);
	snprintf(parts[RATE], PART_LENGTH, "%s/s", size_format((uint64_t)speed, size));
	if (f->verb)
		snprintf(parts[RATIO], PART_LENGTH, "ratio %.2f", ratio);
	if (known && speed > 0)
		snprintf(parts[LEFT], PART_LENGTH, "%s left",
			 duration_format((double)(f->total - f->done) / speed, size));
}

static size_t join_parts(char parts[PARTS][PART_LENGTH], char line[PROGRESS_LINE_LENGTH])
{
	size_t used = 0;

	line[0] = 0;
	for (int i = 0; i < PARTS; i++)
		if (parts[i][0] && used < PROGRESS_LINE_LENGTH)
			used += (size_t)snprintf(line + used, PROGRESS_LINE_LENGTH - used, "%s%s",
						 used ? ", " : "", parts[i]);
	return used;
}

/* "25.4 %, 1.2 GiB of 4.8 GiB, 402.1 MiB written, 600.0 MiB/s, ratio 3.01, 0:06 left" */
static void describe(const void *arg, unsigned columns, char line[PROGRESS_LINE_LENGTH])
{
	const struct progress_figures *f = arg;
	/* The least useful first.  DONE stays if there is no percentage. */
	static const enum part drops[] = { RATIO, MOVED, DONE, RATE, LEFT };
	char parts[PARTS][PART_LENGTH];

	write_parts(f, parts);
	for (size_t i = 0; i < sizeof(drops) / sizeof(drops[0]); i++) {
		if (join_parts(parts, line) <= columns)
			return;
		if (drops[i] != DONE || f->total != UINT64_MAX)
			parts[drops[i]][0] = 0;
	}
	join_parts(parts, line);
}

void progress_line(struct progress *p, double seconds, progress_describe *describe_it,
		   const void *arg)
{
	char line[PROGRESS_LINE_LENGTH];

	if (!p->shown || seconds < p->due)
		return;
	p->due = seconds + until_next(p, seconds);
	describe_it(arg, p->redraws ? message_columns() : PROGRESS_LINE_LENGTH, line);
	if (p->redraws)
		message_redraw(line);
	else
		message_progress(line);
}

void progress_tick(struct progress *p, const struct progress_figures *figures)
{
	progress_line(p, figures->seconds, describe, figures);
}

void progress_now(const struct progress_figures *figures)
{
	char line[PROGRESS_LINE_LENGTH];

	describe(figures, PROGRESS_LINE_LENGTH, line);
	message("%s", line);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		message_end_progress(p->redraws);
}
