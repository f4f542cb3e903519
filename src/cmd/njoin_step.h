// SPDX-License-Identifier: GPL-2.0-or-later
/* Steps other than walks that may take long, and end on a signal; among them syncing the outputs. */
#ifndef NSPLIT_CMD_NJOIN_STEP_H
#define NSPLIT_CMD_NJOIN_STEP_H

#include "cmd/njoin.h"

/*
 * Runs a step in a thread, so that this one can read signals meanwhile.  A request to stop removes
 * the outputs and ends the program.
 */
enum status njoin_run_step(struct njoin *njoin,
			   enum status (*work)(struct njoin *njoin, struct error *e),
			   struct error *e);

/*
 * Runs the step that syncs the outputs and gives files their names, with progress.  Only this makes
 * what was written count, so a request to stop waits for it; the caller then ends the program.  A
 * second request does what one does in any other step, as does the first if an output is a stream.
 */
enum status njoin_run_sync(struct njoin *njoin,
			   enum status (*work)(struct njoin *njoin, struct error *e),
			   struct error *e);

#endif
