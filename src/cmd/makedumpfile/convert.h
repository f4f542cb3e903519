// SPDX-License-Identifier: GPL-2.0-or-later
/* What makedumpfile does besides a dump of memory, by njoin. */
#ifndef NSPLIT_CMD_MAKEDUMPFILE_CONVERT_H
#define NSPLIT_CMD_MAKEDUMPFILE_CONVERT_H

#include <signal.h>

#include "cmd/makedumpfile/options.h"

/* Is VMCORE a dump in the kdump-compressed form, which njoin makes smaller? */
bool makedumpfile_reads_dump(const struct makedumpfile_options *o);

/*
 * -R, --reassemble, --dump-dmesg, --split, and dumps of dumps.  If nothing is left of --split, the original program
 * takes over; argv and heeded are for that.  Returns the exit status.
 */
int makedumpfile_convert(const struct makedumpfile_options *o, char **argv, const sigset_t *heeded);

#endif
