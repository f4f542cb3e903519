// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The machine that --check-params, --estimate and --drill are about: its capture kernel, the command line of nsplit
 * there, its capture initramfs, and its kdump, that is the scripts that load a capture kernel and call a collector after the
 * crash.  The script nsplit-check-system of kdump/common looks at them, and prints settings and findings.
 */
#ifndef NSPLIT_CMD_NSPLIT_CRASH_MACHINE_H
#define NSPLIT_CMD_NSPLIT_CRASH_MACHINE_H

#include "capture/memory/memory_limits.h"
#include "cmd/nsplit/check/findings.h"
#include "cmd/nsplit/options.h"

/* What the script prints: lines of a word, a tab and a text. */
struct script_answer {
	char *text;			/* owned: all of it */
	struct script_line {
		const char *word;
		char *text;
	} *lines;			/* owned */
	size_t count;
};

struct crash_machine {
	const char *root;		/* see crash_machine_root() */
	struct script_answer settings;
	bool unknown;			/* the script has failed, which is a finding */
	/* The words of the command line with which kdump calls nsplit, as far as it is known here; options point to them. */
	char **argv;			/* owned */
	int argc;
	bool asked;			/* what is asked is about this call, since there are no operands */
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

/* What the script prints of its settings; "" for one without a value. */
const char *crash_machine_setting(const struct crash_machine *machine, const char *word);

/*
 * Prints what is wrong with the call and, unless o->quiet, the call.  who: what the line begins with.  False: it would
 * save no dump, and *why is set.
 */
bool crash_machine_report_call(struct crash_machine *machine, const struct nsplit_options *o, const char *who,
			       struct error *why);

/*
 * What the script knows of the capture kernel.  Adds what it finds:
 * with "kernel", whether a crash would start a capture kernel; with "check", all.  outputs: of the capture; their disks
 * need drivers, and their commands programs.
 */
struct crash_kernel crash_machine_check(const struct crash_machine *machine, const char *request,
					const struct names *outputs, struct findings *found);

/* The same.  Unless why is NULL, prints why a crash would not start it, if that is so, and sets *why. */
struct crash_kernel crash_machine_kernel(const struct crash_machine *machine, const struct names *outputs,
					 struct error *why);

/* What a capture may take in that capture kernel. */
struct limit crash_machine_limit(const struct crash_kernel *kernel);

/* How many of the CPUs that this process may use the capture kernel starts. */
unsigned crash_machine_cpus(const struct crash_machine *machine);

/*
 * Could the command run, as far as this shows without running it?  The name is for messages: an output, "--filter".
 * Returns whether no problem was found.
 */
bool nsplit_check_command(struct findings *found, const char *name, const char *command);

/*
 * True if the command ends in a program that only writes to standard output, such as gzip, so that the member is not
 * stored although the exit status is 0; see prints_only in the script.  False if the script is not there.
 */
bool nsplit_command_prints(const char *command);

/* --- what nsplit does before a crash -------------------------------------------- */

/* Each of these returns the exit status. */

/*
 * --check-params.  Reports every error and warning; if verbose, also what is ok, what to note, and what was not checked; or
 * all of it as JSON.  EXIT_USAGE if an option or operand is wrong, else EXIT_FAILED if the dump would be lost for another
 * reason.  Takes what was found in the machine's call.
 */
int nsplit_check(const struct nsplit_options *o, struct crash_machine *machine);

/*
 * --estimate: what a dump of this machine would be, made in the background, and printed.  EXIT_FAILED if there is no
 * estimate, if an output cannot be used, or if not even one dump fits; EXIT_USAGE if an output is refused.
 */
int nsplit_estimate(const struct nsplit_options *o, struct crash_machine *machine);
/*
 * Bytes of memory that a dump with these options would keep, before they are compressed; 0: unknown.  In a second
 * or less, and without looking at outputs.
 */
uint64_t nsplit_estimate_kept(const struct nsplit_options *o);

/* What the script of the drill asks for, if it has called this program. */
struct drill_capture {
	bool asked;
	char *source;			/* made-up data, or the file of the module; "": the source of the options */
	char **outputs;
	unsigned count, fallbacks;	/* fallbacks: the last ones */
	uint64_t memory;		/* bytes to plan for; 0: no limit, or that of the cgroup */
	unsigned cpus;
};

/* Before anything reads the command line: takes the source and the outputs of the capture off its end. */
void drill_capture_begin(struct drill_capture *c, int *argc, char **argv);

struct nsplit;

/*
 * --drill: what a crash would do, in the running system, with the options, outputs and limits of the capture kernel.  What
 * the drill has written is verified and removed.  After nsplit_begin() and the options; the script takes the place of this
 * program, unless that fails.
 */
int nsplit_drill(struct nsplit *nsplit, struct crash_machine *machine, struct drill_capture *c, int argc, char **argv);

#endif
