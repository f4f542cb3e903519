// SPDX-License-Identifier: GPL-2.0-or-later
/* The state of nsplit, which all its parts share. */
#ifndef NSPLIT_CMD_NSPLIT_NSPLIT_H
#define NSPLIT_CMD_NSPLIT_NSPLIT_H

#include <signal.h>

#include "base/signals.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/dump.h"
#include "cmd/nsplit/layers.h"
#include "cmd/nsplit/options.h"

/* main() has it and passes it to all functions. */
struct nsplit {
	struct nsplit_options options;
	struct source *source;
	struct sink *sinks;		/* one for each output; owned */
	unsigned count;
	unsigned unusable;		/* see nsplit_probe() */
	struct nsplit_layers layers;
	struct nsplit_dump dump;
	struct capture *capture;
	struct progress progress;
	int signal_fd;
	sigset_t heeded;		/* see signals_heeded() */
	struct stop stop;
	pid_t parent;			/* see supervise() */
	bool hung;			/* a thread hangs in a call: this process may not end */
	bool may_hang;			/* or another call may hang: an output has failed */
	struct message_list unreadable;	/* ranges; any thread adds to it */
};

#endif
