// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit --drill=crash: the commands that crash this machine, for a person to execute. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_CRASH_H
#define NSPLIT_CMD_NSPLIT_DRILL_CRASH_H

#include "cmd/nsplit/crash_machine.h"

/* Prints them on standard output and executes none.  Returns the exit status. */
int drill_print_crash(const struct nsplit_options *o, const struct crash_machine *machine);

#endif
