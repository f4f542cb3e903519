// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nsplit --drill: what a crash would do, in the running system, with the options, outputs and limits of the capture
 * kernel.  What the drill has written is verified and removed.
 */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_DRILL_H
#define NSPLIT_CMD_NSPLIT_DRILL_DRILL_H

#include "cmd/nsplit/crash_machine.h"
#include "cmd/nsplit/nsplit.h"

/* After nsplit_begin() and the options.  Returns the exit status; ends by the signal that has interrupted it. */
int nsplit_drill(struct nsplit *nsplit, struct crash_machine *machine);

/*
 * --drill=crash: prints the commands that crash this machine, for a person to execute, and executes none.  Returns the
 * exit status.
 */
int drill_print_crash(const struct nsplit_options *o, const struct crash_machine *machine);

#endif
