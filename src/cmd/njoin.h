// SPDX-License-Identifier: GPL-2.0-or-later
/* The state of njoin, which all its parts share. */
#ifndef NSPLIT_CMD_NJOIN_H
#define NSPLIT_CMD_NJOIN_H

#include "base/signals.h"
#include "cmd/message.h"
#include "cmd/njoin_options.h"
#include "export/copy.h"
#include "export/kdump_write.h"
#include "export/set_absent.h"
#include "set/walk.h"

/* main() has it and passes it to all functions. */
struct njoin {
	struct njoin_options options;
	struct set set;
	struct output_file *outputs;	/* those that were probed; owned */
	size_t outputs_count;
	struct copy copy;		/* of the source, to the only output (not --format=kdump) */
	struct set_absent absent;	/* of what is missing or left out, if it was searched for */
	bool absent_known;
	struct kdump_export kdump;
	struct walk *walk;
	struct progress progress;	/* of a walk, or of the search before it */
	uint64_t from, to;		/* the range of the source to write or verify */
	double began, started;		/* the command, and its walk or the search before it */
	int signal_fd;
	struct stop stop;
	/* Any thread adds to these. */
	struct message_list unreadable;	/* ranges */
	struct message_list damage;	/* records and members */
};

#endif
