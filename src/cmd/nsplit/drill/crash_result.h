// SPDX-License-Identifier: GPL-2.0-or-later
/* For nsplit --drill=crash: who saves the dump of this machine, where it is afterwards, and commands that look at it. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_CRASH_RESULT_H
#define NSPLIT_CMD_NSPLIT_DRILL_CRASH_RESULT_H

#include "cmd/nsplit/options.h"
#include "system/kdump_system.h"

/* Comments of a shell script, on standard output: the program that kdump calls. */
void crash_print_collector(const struct kdump_system *kdump);

/* Commands for the shell, with comments.  o: of nsplit, with the outputs that it writes without a kdump. */
void crash_print_result(const struct kdump_system *kdump, const struct nsplit_options *o);

#endif
