// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit --check-params: whether a capture would work, without capturing. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_CHECK_H
#define NSPLIT_CMD_NSPLIT_CHECK_CHECK_H

#include "cmd/nsplit/crash_machine.h"

/*
 * Reports every error and warning; if verbose, also what is ok, what to note, and what was not checked; or
 * all of it as JSON.  Returns the exit status: EXIT_USAGE if an option or operand is wrong, else EXIT_FAILED
 * if the dump would be lost for another reason.  Takes what was found in the machine's call.
 */
int nsplit_check(const struct nsplit_options *o, struct crash_machine *machine);

#endif
