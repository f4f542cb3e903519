// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit --estimate: what a dump of this machine would be. */
#ifndef NSPLIT_CMD_NSPLIT_ESTIMATE_ESTIMATE_H
#define NSPLIT_CMD_NSPLIT_ESTIMATE_ESTIMATE_H

#include "cmd/nsplit/crash_machine.h"

/*
 * Bytes of memory that a dump with these options would keep, before they are compressed; 0: unknown.  In a second
 * or less, and without looking at outputs.
 */
uint64_t nsplit_estimate_kept(const struct nsplit_options *o);

/*
 * Does that in the background, and prints it.  Returns the exit status: EXIT_FAILED if there is no estimate, if an
 * output cannot be used, or if not even one dump fits; EXIT_USAGE if an output is refused.
 */
int nsplit_estimate(const struct nsplit_options *o, struct crash_machine *machine);

#endif
