// SPDX-License-Identifier: GPL-2.0-or-later
/* One run of njoin: what its parts share, and the part that looks at the set. */
#ifndef NSPLIT_CMD_NJOIN_H
#define NSPLIT_CMD_NJOIN_H

#include "base/signals.h"
#include "cmd/njoin_options.h"
#include "export/copy.h"
#include "export/kdump_write.h"
#include "set/walk.h"

/* All that a run of the program holds; main's, and handed down. */
struct njoin {
	struct njoin_options options;
	struct set set;
	struct output_file *outputs;		/* those that were probed; owned */
	size_t outputs_count;
	struct copy copy;		/* of the ELF form: to the one output */
	struct kdump_export kdump;
	struct walk *walk;
	struct progress progress;	/* of a walk, or of the search before it */
	uint64_t from, to;		/* what is wanted of the source */
	double started;
	bool search;			/* --salvage was asked for: of whatever is given */
	int signal_fd;
	struct stop stop;
	/* Written by any thread: */
	_Atomic unsigned unreadable;	/* ranges */
	_Atomic unsigned damaged;	/* records and members */
};

/* Opens the members and works out what is wanted of them; tells what is done without. */
enum status njoin_open_set(struct njoin *njoin, struct error *e);

/* A stream without a size in its superblock is asked again after the walk. */
enum status njoin_check_range(const struct njoin *njoin, struct error *e);

/*
 * Tells what is missing, as far as it is known: before the walk by the map, after
 * it by what came.  A member that is not there is no harm if the others hold what it
 * held; what counts are holes.  Returns whether anything is missing.
 */
bool njoin_survey(const struct njoin *njoin);

/*
 * Walks over the set, with the threads, signals and progress of the run; all else is in settings.
 * What was walked before is forgotten.
 */
enum status njoin_walk(struct njoin *njoin, struct walk_settings *settings, struct error *e);

/*
 * Counts a range that could not be read when it was captured, and reports it; if not verbose, only
 * the first RANGES_TOLD are reported.  arg is the run.  Any thread may call it.
 */
void njoin_report_unreadable(void *arg, uint64_t offset, uint64_t length);

/* Tells of damage, up to a limit, and counts it; arg is the run.  Any thread may call it. */
void njoin_warn(void *arg, const struct error *e);

#endif
