// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit --check-params: whether a capture would work, before there is anything to capture. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_H
#define NSPLIT_CMD_NSPLIT_CHECK_H

#include "cmd/nsplit_options.h"

/*
 * Tells each reason why it would not, and nothing if there is none.  Returns the exit status:
 * EXIT_USAGE for what was asked for, or else EXIT_FAILED for what the machine has not.
 */
int nsplit_check(const struct nsplit_options *o);

#endif
