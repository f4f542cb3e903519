// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine that --check-params, --estimate and --drill are about: its kdump, its capture kernel, and the command
 * line of nsplit there.
 */
#ifndef NSPLIT_CMD_NSPLIT_CRASH_MACHINE_H
#define NSPLIT_CMD_NSPLIT_CRASH_MACHINE_H

#include "capture/memory/crash_kernel.h"
#include "capture/memory/memory_limits.h"
#include "cmd/nsplit/check/findings.h"
#include "cmd/nsplit/check/system.h"
#include "cmd/nsplit/options.h"

/*
 * The command line with which this system's kdump calls nsplit, as far as it is known here: options, threads,
 * and a file in the directory of its dumps.  The texts that options read from it point to.
 */
struct collector_call {
	char *words;			/* owned: the options of kdump */
	char level[16], codec[32], threads[16];
	char **argv;			/* owned; its words are not; nsplit's, also if kdump calls makedumpfile */
	int argc;
	char text[2048];		/* the command line of kdump, for messages; what does not fit is cut off */
};

struct crash_machine {
	const char *root;		/* see crash_machine_root() */
	struct kdump_system kdump;
	struct collector_call call;
	bool asked;			/* what is asked is about the call, since there are no operands */
	bool called;			/* and the options are those of the call */
	struct findings found;		/* mistakes in the call */
};

/* The directory above /proc, /sys and /etc: NSPLIT_ROOT, or "" for this machine. */
const char *crash_machine_root(void);

/*
 * Finds the kdump of this system.  If the command line, argc and argv, has no operands, *o becomes what that kdump calls,
 * and the options of the command line override it.  *o then points into the machine, which must outlive it.
 * STATUS_USAGE: these options do not go together with those of kdump.  crash_machine_end() in any case.
 */
enum status crash_machine_begin(struct crash_machine *machine, struct nsplit_options *o, int argc, char **argv,
				struct error *e);
void crash_machine_end(struct crash_machine *machine);

/*
 * Prints what is wrong with the call and, unless o->quiet, the call.  who: what the line begins with.  False: it would
 * save no dump, and *why is set.
 */
bool crash_machine_report_call(struct crash_machine *machine, const struct nsplit_options *o, const char *who,
			       struct error *why);

/* Reads what the kernel reports, and how much memory the files of the capture initramfs take.  outputs: of the capture. */
struct crash_kernel crash_machine_kernel(const struct crash_machine *machine, const struct names *outputs);

/* What a capture may take in that capture kernel. */
struct limits crash_machine_limits(const struct crash_kernel *kernel);

/* How many of the CPUs that this process may use the capture kernel starts. */
unsigned crash_machine_cpus(const struct crash_machine *machine);

/* Would a crash start the capture kernel?  What prevents it is reported, and *why is set. */
bool crash_machine_is_ready(const struct crash_kernel *kernel, struct error *why);

#endif
