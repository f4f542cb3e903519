// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All of njoin, for the files that direct the others: njoin.c, join.c, missing.c.
 * The others receive only the parts that they need.
 */
#ifndef NSPLIT_CMD_NJOIN_NJOIN_H
#define NSPLIT_CMD_NJOIN_NJOIN_H

#include "cmd/njoin/report.h"
#include "cmd/njoin/run.h"
#include "export/kdump_export.h"
#include "export/set_absent.h"

/* njoin_run() has it. */
struct njoin {
	struct njoin_options options;	/* constant once the set is open */
	struct njoin_input input;	/* likewise, but for the size of a stream, which a walk finds */
	struct njoin_run run;
	struct njoin_findings findings;
	struct set_absent absent;	/* of what is missing or left out, if it was searched for */
	bool absent_known;
	struct kdump_export kdump;
	struct roots *roots;		/* of --verify; NULL: this build does not check them; owned */
};

/*
 * Does what the options say; messages have begun, and signals are held (signals_hold_requests()).  Returns the exit
 * status.  The options may be changed: names that do not exist are removed.
 */
int njoin_run(struct njoin_options *options);

/*
 * Writes what was asked for, the source or kdump-compressed files, or verifies the set, which is open: from the checks
 * before it to the finished outputs.
 */
enum njoin_finding njoin_join(struct njoin *njoin);

#endif
