// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit --check-params: whether a capture would work, without capturing. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_CHECK_H
#define NSPLIT_CMD_NSPLIT_CHECK_CHECK_H

#include "cmd/nsplit/options.h"

/*
 * Reports every error and warning; if verbose, also what is ok, what to note, and what was not checked; or
 * all of it as JSON.  Returns the exit status: EXIT_USAGE if an option or operand is wrong, else EXIT_FAILED
 * if the dump would be lost for another reason.  argc and argv: what the options were read from.
 */
int nsplit_check(const struct nsplit_options *o, int argc, char **argv);

#endif
