// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit --estimate: what a dump of this machine would be. */
#ifndef NSPLIT_CMD_NSPLIT_ESTIMATE_ESTIMATE_H
#define NSPLIT_CMD_NSPLIT_ESTIMATE_ESTIMATE_H

#include "base/clock.h"
#include "capture/memory/crash_kernel.h"
#include "capture/memory/memory_plan.h"
#include "cmd/nsplit/crash_machine.h"
#include "estimate/estimate.h"
#include "estimate/room.h"

/* What the reports show.  The outputs are those of the options. */
struct nsplit_estimate {
	const struct nsplit_options *options;
	const struct crash_machine *machine;
	const char *root;		/* /proc and /sys are below it; "" for this machine */
	unsigned level;			/* the dump level of the options */
	struct source *source;		/* stands for /proc/vmcore; owned */
	struct sink *sinks;		/* of all outputs; owned */
	int outputs_status;		/* the exit status because of outputs that cannot be used */
	struct estimate pages;
	struct room room;
	struct crash_kernel kernel;
	bool ready;			/* a crash would start it; set when this is printed */
	struct limits limits;		/* of the capture kernel */
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
 * Estimates, and reports outputs that cannot be used.  An error says why there is no estimate.
 * nsplit_estimate_free() in any case.
 */
enum status nsplit_estimate_make(struct nsplit_estimate *estimate, const struct nsplit_options *o,
				 const struct crash_machine *machine, struct error *e);
void nsplit_estimate_free(struct nsplit_estimate *estimate);

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

/* Both write to standard output.  advice: the last line. */
void nsplit_estimate_report(const struct nsplit_estimate *estimate, const char *advice);
void nsplit_estimate_json(const struct nsplit_estimate *estimate, const char *advice);

/* The name of a preset in tables: that of -C auto is the codec that is taken for it. */
const char *nsplit_estimate_preset(const struct nsplit_estimate *estimate, unsigned preset,
				   char text[PRESET_TEXT_LENGTH]);
/* A dump level in tables, which end with that of the options if it is another; false: there are no more. */
bool nsplit_estimate_level(const struct nsplit_estimate *estimate, unsigned number, unsigned *level);

#endif
