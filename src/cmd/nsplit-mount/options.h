// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of nsplit-mount; nsplit-mount.1 describes it. */
#ifndef NSPLIT_CMD_NSPLIT_MOUNT_OPTIONS_H
#define NSPLIT_CMD_NSPLIT_MOUNT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/names.h"
#include "cmd/common/common_options.h"
#include "cmd/common/left_out.h"

struct mount_options {
	uint64_t cache;			/* bytes */
	unsigned threads;
	struct left_out_option left_out;
	bool foreground;
	bool zero_holes;
	bool salvage;
	bool quiet, verbose;
	struct names fuse;		/* of each -o; owned */
	struct names members;		/* expanded; owned */
	const char *mountpoint;
};

/*
 * Reads the command line.  Returns OPTIONS_READ, or the status to exit with at once: after
 * --help and the like, or an error, which has been reported.
 */
int mount_options_read(struct mount_options *o, int argc, char **argv);
void mount_options_free(struct mount_options *o);

#endif
