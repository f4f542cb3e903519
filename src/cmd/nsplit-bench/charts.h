// SPDX-License-Identifier: GPL-2.0-or-later
/* The charts of a benchmark as commands of gnuplot. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_CHARTS_H
#define NSPLIT_CMD_NSPLIT_BENCH_CHARTS_H

#include "cmd/nsplit-bench/report.h"

/*
 * Bars if one or two numbers of threads were measured, curves over the threads if there are more.
 * The ceiling has no bar or curve: it can be a hundred times as high as what it is compared with.
 */
enum chart {
	CHART_RATE,
	CHART_SHARE,			/* of the ceiling */
	CHART_RATIO,			/* rate and ratio, with the most threads; captures only */
	CHARTS
};

/* In pixels. */
enum { CHART_WIDTH = 480 };
double chart_height(const struct bench_report *report, enum chart chart);

/* True if anything was measured. */
bool chart_has_data(const struct bench_report *report, enum measure what);

/* The title of a chart, for those who cannot see it. */
const char *chart_title(enum measure what, enum chart chart);

/* The commands depend on nothing that was set before, except for the terminal. */
enum status chart_write(const struct bench_report *report, enum measure what, enum chart chart,
			FILE *script, struct error *e);

#endif
