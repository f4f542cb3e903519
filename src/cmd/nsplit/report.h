// SPDX-License-Identifier: GPL-2.0-or-later
/* The reports of nsplit before and after the capture, and --stats: the same as JSON (nsplit-check(1), JSON OBJECTS). */
#ifndef NSPLIT_CMD_NSPLIT_REPORT_H
#define NSPLIT_CMD_NSPLIT_REPORT_H

#include <stdio.h>

#include "cmd/nsplit/nsplit.h"

/*
 * The plan of a capture, with the memory that it takes: for --dry-run, and as a message for
 * --verbose.
 */
void report_plan(FILE *file, const struct nsplit *nsplit, const struct memory_plan *plan);
void report_plan_as_message(const struct nsplit *nsplit, const struct memory_plan *plan);

/* The summary at the end: the total, the presets that auto chose, one line for each sink. */
void report_summary(const struct nsplit *nsplit);

/* How to open what was captured. */
void report_next_step(const struct nsplit *nsplit);

/* Warns if classes were to be left out and a check failed during the capture; the last lines are read. */
void report_kept_after_all(struct capture *c);

/* Lists the ranges that no output holds, by where they are in the source as it was opened. */
void report_missing(struct capture *c, const struct source *source, bool listed);

/* "file", "block device", ... */
const char *nsplit_sink_kind(const struct sink *sink);

/* Writes the file of --stats. */
enum status nsplit_stats_write(const struct nsplit *nsplit, enum status outcome, struct error *e);

#endif
