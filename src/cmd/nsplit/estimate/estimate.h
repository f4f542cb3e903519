// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit --estimate: what a dump of this machine would be. */
#ifndef NSPLIT_CMD_NSPLIT_ESTIMATE_ESTIMATE_H
#define NSPLIT_CMD_NSPLIT_ESTIMATE_ESTIMATE_H

#include "base/clock.h"
#include "capture/memory/memory_plan.h"
#include "cmd/nsplit/crash_machine.h"
#include "estimate/estimate.h"
#include "estimate/room.h"

/* What the reports show.  The outputs are those of the options. */
struct nsplit_estimate {
	const struct nsplit_options *options;
	const char *root;		/* /proc and /sys are below it; "" for this machine */
	unsigned level;			/* the dump level of the options */
	struct source *source;		/* stands for /proc/vmcore; owned */
	struct sink *sinks;		/* of all outputs; owned */
	int outputs_status;		/* the exit status because of outputs that cannot be used */
	struct estimate pages;
	struct room room;
	struct crash_kernel kernel;
	struct limit limit;		/* of the capture kernel */
	struct memory_plan plan;	/* of a capture that fits it as well as possible */
	struct capture_settings fitted;	/* the settings for that */
	struct fit_note fit;
	uint64_t crashkernel;		/* the least that is sufficient for the settings as they are; 0: unknown */
	/* The dump that the options ask for. */
	uint64_t bytes;
	double seconds;
	bool at_least;			/* the time to write to some outputs is unknown */
	struct clock_times own;		/* of this program */
};

/*
 * Bytes of memory that a dump with these options would keep, before they are compressed; 0: unknown.  In a second
 * or less, and without looking at outputs.
 */
uint64_t nsplit_estimate_kept(const struct nsplit_options *o);

/*
 * Does that in the background, and prints it.  Returns the exit status: EXIT_FAILED if there is no estimate, if an
 * output cannot be used, or if not even one dump fits; EXIT_USAGE if an output is refused.
 */
int nsplit_estimate(const struct nsplit_options *o, struct crash_machine *machine);

/* Writes it to standard output, as JSON if the options say so. */
void nsplit_estimate_print(const struct nsplit_estimate *estimate);

#endif
