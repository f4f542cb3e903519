// SPDX-License-Identifier: GPL-2.0-or-later
/* What nsplit says before and after the capture. */
#ifndef NSPLIT_CMD_NSPLIT_REPORT_H
#define NSPLIT_CMD_NSPLIT_REPORT_H

#include <stdio.h>

#include "cmd/nsplit_options.h"

/* What will be done, the memory included: for --dry-run, and as a message for --verbose. */
void report_plan(FILE *file, const struct nsplit_options *o, const struct source *source,
		 const struct sink *sinks, const struct memory_plan *plan);
void report_plan_as_message(const struct nsplit_options *o, const struct source *source,
			    const struct sink *sinks, const struct memory_plan *plan);

/* The summary at the end: one line for the whole, one a sink; what auto chose. */
void report_summary(const struct presets *presets, struct capture *c, const struct sink *sinks,
		    unsigned count);

/* Names the ranges that no sink holds. */
void report_missing(struct capture *c);

/* The JSON object of --stats. */
enum status report_stats(const struct nsplit_options *o, struct capture *c,
			 const struct source *source, const struct sink *sinks,
			 enum status outcome, struct error *e);

#endif
