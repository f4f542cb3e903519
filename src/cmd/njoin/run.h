// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Work that may take long: walks, which read all records of the set, and other steps.  Another thread
 * does it, while this one shows progress and handles signals.
 */
#ifndef NSPLIT_CMD_NJOIN_RUN_H
#define NSPLIT_CMD_NJOIN_RUN_H

#include "base/signals.h"
#include "cmd/njoin/outputs.h"
#include "cmd/njoin/set.h"
#include "set/read/walk.h"

struct njoin_run {
	const struct njoin_options *options;
	struct njoin_input *input;	/* a walk changes the size of a stream */
	struct njoin_outputs outputs;	/* a request to stop removes them */
	int signal_fd;			/* -1: signals have their default action */
	struct stop stop;
	struct walk *walk;		/* the current or the last one; NULL: none so far; owned */
	struct progress progress;	/* of the walk */
	double began, started;		/* the command, and the walk */
};

typedef enum status njoin_work(void *arg, struct error *e);

/* Runs a step.  A request to stop removes the outputs and ends the program. */
enum status njoin_run_step(struct njoin_run *run, njoin_work *work, void *arg, struct error *e);

/*
 * Runs the step that syncs the outputs and gives files their names, with progress.  Only this makes
 * what was written count, so a request to stop waits for it; the caller then ends the program.  A
 * second request does what one does in any other step, as does the first if an output is a stream.
 */
enum status njoin_run_sync(struct njoin_run *run, njoin_work *work, void *arg, struct error *e);

/*
 * Walks the set, after freeing the walk before it, if any.  Threads, range, signals and progress
 * are set here; the caller sets all other fields of settings.
 */
enum status njoin_run_walk(struct njoin_run *run, struct walk_settings *settings, struct error *e);

/* The pages of a plain core or a dump, in bytes. */
struct njoin_pages {
	uint64_t written;		/* to a kdump-compressed file; otherwise unused */
	uint64_t missing;		/* those that should have been written or verified */
};

/* The line at the end: what the last walk did, and how fast. */
void njoin_report_summary(const struct njoin_run *run, const struct njoin_pages *pages);

/* Removes unfinished output files and dies of the signal that asked to stop. */
void njoin_die(struct njoin_run *run);

#endif
