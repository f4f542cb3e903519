// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "capture/memory/memory_group.h"
#include "cmd/nsplit/drill/run.h"

/* --- the child -------------------------------------------------------------------- */

/* The first ones of those that it may use. */
static void use_cpus(struct nsplit_options *o, unsigned count)
{
	cpu_set_t all, some;
	unsigned taken = 0;

	/* A machine with more than CPU_SETSIZE CPUs is not limited. */
	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return;
	CPU_ZERO(&some);
	for (int cpu = 0; cpu < CPU_SETSIZE && taken < count; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_SET(cpu, &some);
		taken++;
	}
	if (taken && sched_setaffinity(0, sizeof(some), &some) == 0 && !o->threads_given)
		o->capture.threads = threads_default();
}

static void note_figures(void *arg, const struct nsplit *nsplit)
{
	const struct drill_run *run = arg;

	drill_figures_note(run->figures, &run->outputs, nsplit);
}

/* This capture's outputs instead of all; the list of the run stays, since skipped outputs are removed from this one. */
static enum status set_outputs(struct nsplit_options *o, const struct names *outputs, unsigned fallbacks,
			       struct error *e)
{
	enum status status = STATUS_OK;

	names_free(&o->outputs);
	for (size_t i = 0; i < outputs->count && !status; i++)
		status = names_append(&o->outputs, outputs->names[i], MEMBERS_MAX, e);
	if (o->required > outputs->count)
		o->required = outputs->count;
	o->capture.fallbacks = fallbacks;
	return status;
}

static void set_limits(struct nsplit *nsplit, const struct drill_run *run)
{
	use_cpus(&nsplit->options, run->cpus);
	if (run->memory != UINT64_MAX && !run->limited)
		nsplit->memory_most = (struct limit){ run->memory, "the memory of the drill" };
}

static int capture(struct drill_run *run, const struct memory_group *group)
{
	struct nsplit *nsplit = run->nsplit;
	struct error e;

	if ((run->limited && memory_group_enter(group, &e)) ||
	    set_outputs(&nsplit->options, &run->outputs, run->fallbacks, &e)) {
		message("drill: %s", e.text);
		return EXIT_FAILED;
	}
	set_limits(nsplit, run);
	/* The figures would replace those of a dump, and a digest would stay beside the dump. */
	nsplit->options.stats_file = NULL;
	nsplit->options.capture.digest = false;
	/* The pages of made-up data cannot be told apart. */
	if (run->source)
		nsplit->options.left_out.classes = 0;
	nsplit->source = run->source;
	nsplit->closed = note_figures;
	nsplit->closed_arg = run;
	nsplit_supervise(nsplit, NULL);
	return nsplit_end(nsplit, nsplit_run(nsplit));
}

/* --- the parent ------------------------------------------------------------------- */

static void make_group(struct drill_run *run, struct memory_group *group)
{
	*group = (struct memory_group){ .directory = "" };
	run->why_not.status = STATUS_OK;
	run->limited = run->memory != UINT64_MAX && !memory_group_make(group, "", run->memory, &run->why_not);
}

static void look_at_group(struct drill_run *run, struct memory_group *group)
{
	struct error e;
	uint64_t kills;

	if (!run->limited)
		return;
	run->peak_known = memory_group_peak(group, &run->peak);
	kills = memory_group_kills(group);
	if (kills)
		message("drill: the kernel killed the capture, because the memory was not sufficient");
	if (memory_group_remove(group, &e))
		message("drill: %s", e.text);
}

enum status drill_run(struct drill_run *run, struct drill_signals *signals, struct error *e)
{
	struct memory_group group;
	struct error ignored;
	pid_t child;
	int status;

	drill_figures_reset(run->figures);
	make_group(run, &group);
	if (drill_fork(signals, &child, e)) {
		memory_group_remove(&group, &ignored);
		return e->status;
	}
	if (!child)
		exit(capture(run, &group));
	status = drill_wait(signals, child);
	run->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
	look_at_group(run, &group);
	return STATUS_OK;
}
