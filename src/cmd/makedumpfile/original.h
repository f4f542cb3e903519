// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The original makedumpfile, which packages and capture images keep beside nsplit under the name makedumpfile.distrib.
 * It does what is not done here, and takes over if a dump fails before its output is opened.
 */
#ifndef NSPLIT_CMD_MAKEDUMPFILE_ORIGINAL_H
#define NSPLIT_CMD_MAKEDUMPFILE_ORIGINAL_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>

extern const char original_name[];

/* False: there is none that can be executed. */
bool original_find(char path[PATH_MAX]);

/*
 * Says why, and executes it with the arguments of this program.  heeded: signals that it must not ignore (base/signals.h).
 * Returns only if there is none, or it cannot be executed, which is reported.
 */
void original_run(char **argv, const sigset_t *heeded, const char *why);

#endif
