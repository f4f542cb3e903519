// SPDX-License-Identifier: GPL-2.0-or-later
/* One capture of a drill, in a child process with the memory and the CPUs of the capture kernel. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_RUN_H
#define NSPLIT_CMD_NSPLIT_DRILL_RUN_H

#include "cmd/nsplit/drill/figures.h"
#include "cmd/nsplit/drill/process.h"

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
