// SPDX-License-Identifier: GPL-2.0-or-later
/* The reports of nsplit before and after the capture. */
#ifndef NSPLIT_CMD_NSPLIT_REPORT_H
#define NSPLIT_CMD_NSPLIT_REPORT_H

#include <stdio.h>

#include "cmd/common/page_policy.h"
#include "cmd/nsplit/nsplit.h"

struct nsplit_digest;

/*
 * The plan of a capture, with the memory that it takes: for --dry-run, and as a message for
 * --verbose.
 */
void report_plan(FILE *file, const struct nsplit_options *o, const struct source *source,
		 const struct sink *sinks, const struct memory_plan *plan);
void report_plan_as_message(const struct nsplit_options *o, const struct source *source,
			    const struct sink *sinks, const struct memory_plan *plan);

/* The summary at the end: the total, the presets that auto chose, one line for each sink.  digests: NULL: none. */
void report_summary(const struct presets *presets, struct capture *c, const struct sink *sinks,
		    const struct nsplit_digest *digests, unsigned count);

/* How to open what was captured. */
void report_next_step(const struct nsplit *nsplit);

/* Warns if classes were to be left out and a check failed during the capture; the last lines are read. */
void report_kept_after_all(struct capture *c);

/* Lists the ranges that no output holds, by where they are in the source as it was opened. */
void report_missing(struct capture *c, const struct source *source, bool listed);

#endif
