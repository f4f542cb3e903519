// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>

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

/* "25.4 %, 1.2 GiB of 4.8 GiB, 402.1 MiB written, 600.0 MiB/s, ratio 3.01, 0:06 left" */
static void describe(const void *arg, char line[PROGRESS_LINE_LENGTH])
{
	const struct progress_figures *f = arg;
	char done[SIZE_TEXT_LENGTH], total[SIZE_TEXT_LENGTH], moved[SIZE_TEXT_LENGTH];
	char rate[SIZE_TEXT_LENGTH], left[SIZE_TEXT_LENGTH];
	double speed = f->seconds > 0 ? (double)f->done / f->seconds : 0;
	double ratio = f->moved ? (double)f->done / (double)f->moved : 0;
	int used;

	size_format(f->done, done);
	size_format(f->moved, moved);
	size_format((uint64_t)speed, rate);
	if (f->total == UINT64_MAX) {
		snprintf(line, PROGRESS_LINE_LENGTH, "%s, %s %s, %s/s, ratio %.2f", done, moved, f->verb,
			 rate, ratio);
		return;
	}
	used = snprintf(line, PROGRESS_LINE_LENGTH, "%.1f %%, %s of %s, %s %s, %s/s, ratio %.2f",
			f->total ? 100.0 * (double)f->done / (double)f->total : 100.0, done,
			size_format(f->total, total), moved, f->verb, rate, ratio);
	if (speed > 0 && used > 0 && used < PROGRESS_LINE_LENGTH)
		snprintf(line + used, PROGRESS_LINE_LENGTH - (size_t)used, ", %s left",
			 duration_format((double)(f->total - f->done) / speed, left));
}

void progress_line(struct progress *p, double seconds,
		   void (*describe_it)(const void *arg, char line[PROGRESS_LINE_LENGTH]),
		   const void *arg)
{
	char line[PROGRESS_LINE_LENGTH];

	if (!p->shown || seconds < p->due)
		return;
	p->due = seconds + progress_interval(p);
	describe_it(arg, line);
	if (p->redraws)
		message_redraw(line);
	else
		message("%s", line);
}

void progress_tick(struct progress *p, const struct progress_figures *figures)
{
	progress_line(p, figures->seconds, describe, figures);
}

void progress_now(const struct progress_figures *figures)
{
	char line[PROGRESS_LINE_LENGTH];

	describe(figures, line);
	message("%s", line);
}

void progress_end(struct progress *p)
{
	if (p->redraws)
		message_end_redraw();
}
