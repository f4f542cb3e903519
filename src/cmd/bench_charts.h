// SPDX-License-Identifier: GPL-2.0-or-later
/* The contents of the pictures of a benchmark: panels, each PANEL_WIDTH (draw/axis.h) wide. */
#ifndef NSPLIT_CMD_BENCH_CHARTS_H
#define NSPLIT_CMD_BENCH_CHARTS_H

#include "cmd/bench_report.h"
#include "draw/canvas.h"

/*
 * Bars if one or two numbers of threads were measured, curves over the threads if there are more.
 * The ceiling has no bar or curve: it can be a hundred times as high as what it is compared with.
 */
enum chart {
	CHART_RATE,
	CHART_SHARE,			/* of the ceiling */
	CHART_RATIO,			/* rate and ratio, with the most threads; captures only */
};

/* True if anything was measured. */
bool chart_has_data(const struct bench_report *report, enum measure what);

/* The title of a chart, for those who cannot see it. */
const char *chart_title(enum measure what, enum chart chart);

double chart_height(const struct bench_report *report, enum chart chart);
enum status chart_draw(const struct bench_report *report, enum measure what, enum chart chart,
		       struct canvas *c, struct error *e);

#endif
