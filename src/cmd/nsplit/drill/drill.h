// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nsplit --drill: what a crash would do, in the running system, with the options, outputs and limits of the capture
 * kernel.  What the drill has written is verified and removed.
 */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_DRILL_H
#define NSPLIT_CMD_NSPLIT_DRILL_DRILL_H

#include "cmd/nsplit/crash_machine.h"
#include "cmd/nsplit/nsplit.h"

/* What the script of the drill asks for, if it has called this program. */
struct drill_capture {
	bool asked;
	char *source;			/* made-up data, or the file of the module; "": the source of the options */
	char **outputs;
	unsigned count, fallbacks;	/* fallbacks: the last ones */
	uint64_t memory;		/* bytes to plan for; 0: no limit, or that of the cgroup */
	unsigned cpus;
};

/* Before anything reads the command line: takes the source and the outputs of the capture off its end. */
void drill_capture_begin(struct drill_capture *c, int *argc, char **argv);

/* After nsplit_begin() and the options.  Returns the exit status, or the script takes the place of this program. */
int nsplit_drill(struct nsplit *nsplit, struct crash_machine *machine, struct drill_capture *c, int argc, char **argv);

#endif
