// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading all records of the set, with progress and signals. */
#ifndef NSPLIT_CMD_NJOIN_WALK_H
#define NSPLIT_CMD_NJOIN_WALK_H

#include "cmd/njoin.h"

/*
 * Walks the set, after freeing the walk before it, if any.  Threads, range, signals and progress
 * are set here; the caller sets all other fields of settings.
 */
enum status njoin_walk(struct njoin *njoin, struct walk_settings *settings, struct error *e);

/* The progress of the current or the last walk. */
void njoin_walk_figures(const struct njoin *njoin, struct progress_figures *figures);

/* The line at the end: what the last walk did, and how fast. */
void njoin_report_summary(const struct njoin *njoin);

#endif
