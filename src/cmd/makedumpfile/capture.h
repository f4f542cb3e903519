// SPDX-License-Identifier: GPL-2.0-or-later
/* A dump of memory, by nsplit. */
#ifndef NSPLIT_CMD_MAKEDUMPFILE_CAPTURE_H
#define NSPLIT_CMD_MAKEDUMPFILE_CAPTURE_H

#include "cmd/makedumpfile/options.h"

/*
 * Writes the dump, and prints what makedumpfile prints at the end.  Until the output is opened, the original program
 * takes over after a failure; argv is for that.  Returns the exit status.
 */
int makedumpfile_capture(const struct makedumpfile_options *o, char **argv);

/* --check-params: a wrong line of nsplit.conf would be skipped at the crash, so it is an error before. */
enum status makedumpfile_check_config(struct error *e);

#endif
