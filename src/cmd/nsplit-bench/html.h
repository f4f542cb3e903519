// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of the page of --html. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_HTML_H
#define NSPLIT_CMD_NSPLIT_BENCH_HTML_H

#include "cmd/nsplit-bench/report.h"

/* Colours for light and dark screens and for paper. */
extern const char html_style[];

void html_verdict(const struct bench_report *report, FILE *file);

/* MEASURE_CAPTURE, MEASURE_VERIFY or MEASURE_JOIN */
void html_rates(const struct bench_report *report, enum measure what, FILE *file);

/* Random reads. */
void html_latencies(const struct bench_report *report, FILE *file);

#endif
