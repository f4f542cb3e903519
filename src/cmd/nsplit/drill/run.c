// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "capture/memory/memory_group.h"
#include "cmd/nsplit/drill/run.h"

struct drill_figures *drill_figures_new(void)
{
	void *f = mmap(NULL, sizeof(struct drill_figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	// cppcheck-suppress memleak		; owned by the caller
	return f == MAP_FAILED ? NULL : f;
}

void drill_figures_free(struct drill_figures *f)
{
	if (f)
		munmap(f, sizeof(*f));
}

void drill_figures_reset(struct drill_figures *f)
{
	*f = (struct drill_figures){ .known = false };
	for (unsigned i = 0; i < MEMBERS_MAX; i++)
		f->made[i].failed = true;
}

static struct drill_made made_of(const struct sink *sink, const struct sink_stats *stats)
{
	struct drill_made made = {
		.failed = stats->state != SINK_TAKING && stats->state != SINK_ENDED && stats->state != SINK_RESERVED,
		.holds = stats->records && stats->state != SINK_DEAD,
		.hung = stats->hung,
	};

	/* Its writer still uses the sink; or it was not even opened. */
	if (stats->hung || stats->state == SINK_RESERVED)
		return made;
	/* A command may have made its file before it receives anything. */
	made.ours = sink->created || (sink->kind == SINK_BLOCK_DEVICE && sink->reached) || sink->kind == SINK_COMMAND;
	made.device = sink->identity.device;
	made.inode = sink->identity.inode;
	made.bytes = sink->reached;
	return made;
}

static bool has_name(const struct sink *sink, const char *name)
{
	return strcmp(sink->is_stdout ? "-" : sink->name, name) == 0;
}

void drill_figures_note(struct drill_figures *f, const struct names *outputs, const struct nsplit *nsplit)
{
	const struct dump_layout *dump = nsplit->options.capture.dump;
	struct capture_progress p;
	unsigned i = 0;

	/* They are in the same order, without those that were skipped. */
	for (size_t output = 0; output < outputs->count; output++) {
		struct sink_stats stats;

		error_set(&stats.why, STATUS_SYSTEM, "%s: cannot be used", outputs->names[output]);
		if (i < nsplit->count && has_name(&nsplit->sinks[i], outputs->names[output])) {
			capture_get_sink(nsplit->capture, i, &stats);
			f->made[output] = made_of(&nsplit->sinks[i++], &stats);
		}
		if (f->made[output].failed && !f->failure.status)
			f->failure = stats.why;
	}
	capture_get_progress(nsplit->capture, &p);
	f->source_bytes = p.source_bytes;
	f->member_bytes = p.member_bytes;
	f->seconds = p.seconds;
	f->memory_short = nsplit->memory_short;
	f->elf = dump && dump->elf;
	f->known = true;
}

unsigned drill_figures_failed(const struct drill_figures *f, size_t outputs)
{
	unsigned failed = 0;

	for (size_t i = 0; i < outputs; i++)
		failed += f->made[i].failed;
	return failed;
}

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
	int status;

	if ((run->limited && memory_group_enter(group, &e)) ||
	    set_outputs(&nsplit->options, &run->outputs, run->fallbacks, &e)) {
		message("drill: %s", e.text);
		run->figures->why = e;
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
	status = nsplit_run(nsplit);
	run->figures->why = nsplit->why;
	return nsplit_end(nsplit, status);
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
	if (kills) {
		error_set(&run->figures->why, STATUS_NO_MEMORY,
			  "the kernel killed the capture, because the memory was not sufficient");
		message("drill: %s", run->figures->why.text);
	}
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
	if (WIFSIGNALED(status))
		error_set(&run->figures->why, STATUS_SYSTEM, "the capture was ended by signal %d", WTERMSIG(status));
	look_at_group(run, &group);
	return STATUS_OK;
}
