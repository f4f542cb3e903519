// SPDX-License-Identifier: GPL-2.0-or-later
/* One capture of a drill, in a child process with the memory and the CPUs of the capture kernel. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_RUN_H
#define NSPLIT_CMD_NSPLIT_DRILL_RUN_H

#include "cmd/nsplit/drill/outputs.h"
#include "cmd/nsplit/drill/process.h"
#include "cmd/nsplit/nsplit.h"

/* What the process that captures tells the parent of the drill, in memory that they share. */

/* Written by the process that captures; the parent reads it after that has ended. */
struct drill_figures {
	struct error why;		/* why it has failed; STATUS_OK: it has not, or that is not known */
	struct error failure;		/* of the first output that has failed */
	bool known;			/* the outputs were closed; otherwise it ended before, or was killed */
	bool memory_short;		/* see struct nsplit */
	bool elf;			/* a dump that is an ELF core, without checksums */
	uint64_t source_bytes, member_bytes;
	double seconds;
	/* In the order of the outputs.  A fallback that was not needed has not failed, and nothing was made of it. */
	struct drill_made made[MEMBERS_MAX];
};

/* Shared memory; NULL: there is none. */
struct drill_figures *drill_figures_new(void);
void drill_figures_free(struct drill_figures *f);
/* Until more is known, all outputs have failed. */
void drill_figures_reset(struct drill_figures *f);

/* outputs: in the order of f->made; some of them may have been skipped.  For struct nsplit's closed(). */
void drill_figures_note(struct drill_figures *f, const struct names *outputs, const struct nsplit *nsplit);

/* How many of the first outputs have failed. */
unsigned drill_figures_failed(const struct drill_figures *f, size_t outputs);

struct drill_run {
	struct nsplit *nsplit;		/* the options; the child changes its copy */
	struct names outputs;		/* of this capture; owned */
	unsigned fallbacks;		/* the last ones of them */
	struct source *source;		/* made-up data; NULL: the source of the options, which the child opens */
	uint64_t memory;		/* bytes; UINT64_MAX: no limit */
	unsigned cpus;
	struct drill_figures *figures;	/* shared with the child */

	/* Set by drill_run(): */
	int exit_status;		/* of the capture; EXIT_FAILED if it was killed */
	bool limited;			/* by a cgroup, */
	struct error why_not;		/* or why the memory is only planned with; STATUS_OK: no limit was wanted */
	bool peak_known;
	uint64_t peak;			/* bytes */
};

/* Fails only if there is no child; what else fails is reported by the child, and in the fields above. */
enum status drill_run(struct drill_run *run, struct drill_signals *signals, struct error *e);

#endif
