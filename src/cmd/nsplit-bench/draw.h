// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs bench/draw.py, which makes the page, the picture and the CSV of the JSON. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_DRAW_H
#define NSPLIT_CMD_NSPLIT_BENCH_DRAW_H

#include "cmd/nsplit-bench/report.h"

/*
 * Before the first round.  Fails if gnuplot is missing for --plot; says what else is missing, and that the results
 * will be kept.
 */
enum status draw_check(const struct bench_options *o, struct error *e);

/* All that the options ask for.  Returns false if some of it failed, which it reports; then the JSON is kept. */
bool draw_all(const struct bench_report *report);

#endif
