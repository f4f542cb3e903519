// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of --show-stats and --message-level 16, as makedumpfile prints it (print_report() in its makedumpfile.c). */
#ifndef NSPLIT_CMD_MAKEDUMPFILE_STATISTICS_H
#define NSPLIT_CMD_MAKEDUMPFILE_STATISTICS_H

#include "cmd/makedumpfile/options.h"
#include "cmd/nsplit/nsplit.h"

/* After a capture that has written a dump. */
void statistics_print(const struct makedumpfile_options *o, struct nsplit *nsplit);

#endif
