// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/common/progress.h"

enum {
	/* A line with fewer columns needs them all for its figures. */
	LEAST_LINE = 50,
	/* With this part of 80 columns, all figures that matter fit beside the bar. */
	PART_OF_LINE = 7,
};

enum { BAR_COLUMNS = 40, BAR_LENGTH = BAR_COLUMNS + 1 };
/* The columns of a line that is not for a terminal: any number, and no bar. */
#define UNLIMITED UINT32_MAX

/*
 * "[====>     ]".  columns: of the whole line, on which alone the width depends; a narrow line has no bar.  share: what is
 * done, from 0 to 1.
 */
static void make_bar(unsigned columns, double share, char bar[BAR_LENGTH])
{
	unsigned cells = (unsigned)min_u64(columns / PART_OF_LINE, BAR_COLUMNS) - 2, full;

	bar[0] = 0;
	if (columns == UNLIMITED || columns < LEAST_LINE)
		return;
	full = (unsigned)((share < 0 ? 0 : share > 1 ? 1 : share) * cells);
	memset(bar, ' ', cells + 2);
	memset(bar + 1, '=', full);
	if (full && full < cells)
		bar[full] = '>';
	bar[0] = '[';
	strcpy(bar + cells + 1, "]");
}

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

/* In the order of the line. */
enum part { PERCENT, BAR, DONE, MOVED, RATE, RATIO, LEFT, FAILED, PARTS };
enum { PART_LENGTH = 120 };

/* On a terminal, "1.2/4.8 GiB". */
static void write_done(const struct progress_figures *f, bool short_form, char part[PART_LENGTH])
{
	char done[SIZE_TEXT_LENGTH], total[SIZE_TEXT_LENGTH] = "";
	const char *of = "";
	char *unit;

	size_format(f->done, done);
	if (f->total != UINT64_MAX) {
		size_format(f->total, total);
		of = short_form ? "/" : " of ";
		unit = strchr(done, ' ');
		if (short_form && strcmp(unit, strchr(total, ' ')) == 0)
			*unit = 0;
	}
	snprintf(part, PART_LENGTH, "%s%s%s%s%s", done, of, total, f->action ? " " : "",
		 f->action ? f->action : "");
}

/* The whole percentage does not say 100 before the end. */
static void write_share(const struct progress_figures *f, unsigned columns,
			char parts[PARTS][PART_LENGTH])
{
	double share = f->total ? (double)f->done / (double)f->total : 1;

	if (f->total == UINT64_MAX)
		return;
	make_bar(columns, share, parts[BAR]);
	if (columns == UNLIMITED)
		snprintf(parts[PERCENT], PART_LENGTH, "%.1f %%", 100 * share);
	else
		snprintf(parts[PERCENT], PART_LENGTH, "%*u %%", *parts[BAR] ? 3 : 1,
			 (unsigned)(100 * share));
}

static void write_failed(const struct progress_figures *f, char part[PART_LENGTH])
{
	if (f->failed && f->full)
		snprintf(part, PART_LENGTH, "%u failed, %u full", f->failed, f->full);
	else if (f->failed)
		snprintf(part, PART_LENGTH, "%u failed", f->failed);
	else if (f->full)
		snprintf(part, PART_LENGTH, "%u full", f->full);
}

static void write_parts(const struct progress_figures *f, unsigned columns,
			char parts[PARTS][PART_LENGTH])
{
	bool on_terminal = columns != UNLIMITED;
	char size[SIZE_TEXT_LENGTH];
	double speed = f->seconds > 0 ? (double)f->done / f->seconds : 0;

	memset(parts, 0, PARTS * sizeof(parts[0]));
	write_share(f, columns, parts);
	write_done(f, on_terminal, parts[DONE]);
	if (f->verb)
		snprintf(parts[MOVED], PART_LENGTH, "%s %s", size_format(f->moved, size), f->verb);
	if (!f->stage[0])
		snprintf(parts[RATE], PART_LENGTH, "%s/s", rate_format(f->done, f->seconds, size));
	if (f->ratio > 0)
		snprintf(parts[RATIO], PART_LENGTH, "ratio %.2f", f->ratio);
	if (f->stage[0])
		snprintf(parts[LEFT], PART_LENGTH, "%s", f->stage);
	else if (f->total != UINT64_MAX && speed > 0)
		snprintf(parts[LEFT], PART_LENGTH, "%s left",
			 duration_format((double)(f->total - f->done) / speed, size));
	if (on_terminal)
		write_failed(f, parts[FAILED]);
}

/* Only the bar needs no comma on either side.  Returns the number of columns. */
static size_t join_parts(char parts[PARTS][PART_LENGTH], char line[PROGRESS_LINE_LENGTH])
{
	const char *separator = "";

	line[0] = 0;
	for (int i = 0; i < PARTS; i++) {
		if (!parts[i][0])
			continue;
		if (i == BAR)
			separator = " ";
		text_append(line, PROGRESS_LINE_LENGTH, "%s%s", separator, parts[i]);
		separator = i == BAR ? " " : ", ";
	}
	return text_characters(line);
}

/*
 * "25.4 %, 1.2 GiB of 4.8 GiB, 402.1 MiB written, 600.0 MiB/s, ratio 3.01, 0:06 left"; on a terminal:
 * " 25 % [==>       ] 1.2/4.8 GiB, 600.0 MiB/s, ratio 3.01, 0:06 left, 1 failed"
 */
static void describe(const struct progress_figures *f, unsigned columns, char line[PROGRESS_LINE_LENGTH])
{
	/* The least useful first.  DONE stays if there is no percentage. */
	static const enum part drops[] = { MOVED, RATIO, DONE, RATE, FAILED, LEFT };
	char parts[PARTS][PART_LENGTH];

	write_parts(f, columns, parts);
	for (size_t i = 0; i < sizeof(drops) / sizeof(drops[0]); i++) {
		if (join_parts(parts, line) <= columns)
			return;
		if (drops[i] != DONE || f->total != UINT64_MAX)
			parts[drops[i]][0] = 0;
	}
	join_parts(parts, line);
}

void progress_line(struct progress *p, double seconds, const char *line)
{
	if (!p->shown || seconds < p->due)
		return;
	/* Fewer and fewer lines, so that they do not fill a log or the console of a long capture. */
	p->due = seconds + (p->redraws || seconds < 10 ? progress_interval(p) : seconds < 600 ? 10 : 60);
	if (p->redraws)
		message_redraw(line);
	else
		message_progress(line);
}

void progress_tick(struct progress *p, const struct progress_figures *figures)
{
	char line[PROGRESS_LINE_LENGTH];

	describe(figures, p->redraws ? message_columns() : UNLIMITED, line);
	progress_line(p, figures->seconds, line);
}

void progress_now(const struct progress_figures *figures)
{
	char line[PROGRESS_LINE_LENGTH];

	describe(figures, UNLIMITED, line);
	message("%s", line);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		message_end_progress(p->redraws);
}
