// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nsplit under the name makedumpfile: the command line, the results and the messages that scripts of kdump expect of
 * makedumpfile 1.7.8, with the work done by nsplit and njoin.  nsplit-makedumpfile(1) has a row for each of its options.
 */
#ifndef NSPLIT_CMD_MAKEDUMPFILE_MAKEDUMPFILE_H
#define NSPLIT_CMD_MAKEDUMPFILE_MAKEDUMPFILE_H

#include <stdbool.h>

/*
 * Was the program called by that name, or with --as-makedumpfile as its first argument?  That is removed, and messages
 * then begin with "makedumpfile:".
 */
bool makedumpfile_is_meant(int *argc, char **argv);

/* Returns the exit status: 0 or 1. */
int makedumpfile_main(int argc, char **argv);

#endif
