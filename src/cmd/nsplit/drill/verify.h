// SPDX-License-Identifier: GPL-2.0-or-later
/* Verifies what a drill has captured, as njoin --verify does, in a process of its own. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_VERIFY_H
#define NSPLIT_CMD_NSPLIT_DRILL_VERIFY_H

#include <stdbool.h>

#include "base/names.h"
#include "cmd/common/progress.h"
#include "cmd/nsplit/drill/process.h"

/* Messages say what is wrong with the members.  False: something is, or a signal has ended it. */
bool drill_verify(const struct names *members, enum progress_mode progress, bool quiet, struct drill_signals *signals);

#endif
