// SPDX-License-Identifier: GPL-2.0-or-later
/* What njoin finds and reports, its outputs, and the work that may take long: walks and other steps. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/names.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/njoin/njoin.h"
#include "io/existing.h"
#include "set/dump.h"

/* --- findings ---------------------------------------------------------------------------- */

enum njoin_finding njoin_failed(const struct error *e)
{
	message("%s", e->text);
	return e->status == STATUS_USAGE ? FOUND_USAGE : FOUND_FAILURE;
}

void njoin_report_damage(void *arg, const struct error *e)
{
	struct njoin *njoin = arg;
	enum message_entry entry = message_list_next(&njoin->damage);

	if (entry == ENTRY_LISTED)
		message("%s", e->text);
	else if (entry == ENTRY_FIRST_OMITTED)
		message("further damage is not listed");
}

bool njoin_report_file(const struct dump_file *f)
{
	if (f->damage)
		message("%s", f->damage);
	else if (f->cut)
		message("%s: cut short: the flattened dump has no end", f->name);
	for (size_t i = 0; i < f->findings.count; i++)
		message("%s", f->findings.names[i]);
	return dump_file_is_cut(f) || f->findings.count;
}

/* --- outputs ----------------------------------------------------------------------------- */

/* Is an operand ("-": standard input), usable as a member or not, what an output is? */
static bool is_same(const char *operand, const struct identity *id)
{
	bool standard = strcmp(operand, "-") == 0;
	struct identity given;
	struct stat st;

	if ((standard ? fstat(STDIN_FILENO, &st) : stat(operand, &st)) < 0)
		return false;
	given = identity_of(&st);
	return identity_equal(id, &given);
}

/*
 * Operands that --salvage could not use are refused, too: they may be all that is left of a member.  An option may
 * allow what was found before, but none allows this.
 */
static enum status refuse_member(const struct njoin *njoin, const struct output_file *o, enum status found,
				 struct error *e)
{
	const struct names *given = &njoin->options.members;

	if (!o->identity.type)
		return found;
	for (unsigned i = 0; i < njoin->set.count; i++)
		if (identity_equal(&o->identity, &njoin->set.members[i].identity))
			return error_set(e, STATUS_USAGE, "%s: is %s; nothing was written; choose another output",
					 o->name, set_is_made(&njoin->set) ? "the source" : "a member of the set");
	for (size_t i = 0; i < given->count; i++)
		if (is_same(given->names[i], &o->identity))
			return error_set(e, STATUS_USAGE, "%s: is also given as a member; nothing was "
					 "written; choose another output", o->name);
	return found;
}

/* A new file is identified by its directory and its name in it.  A missing directory is reported when it is created. */
static bool output_identity(const struct output_file *o, struct identity *id)
{
	*id = o->identity;
	return id->type || identity_of_new(id, o->name);
}

static enum status refuse_repeated(const struct output_file *first, const struct output_file *o, struct error *e)
{
	struct identity id, other;

	for (const struct output_file *before = first; before < o; before++)
		if (output_identity(o, &id) && output_identity(before, &other) && identity_equal(&id, &other))
			return names_refuse_repeated(o->name, before->name, e);
	return STATUS_OK;
}

static enum status probe_output(struct njoin *njoin, const char *name, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	unsigned permits = (o->force || o->overwrite_dumps ? PERMIT_OVERWRITE : 0) |
			   (o->overwrite_dumps ? PERMIT_DUMPS : 0) | (o->any_owner ? PERMIT_ANY_OWNER : 0);
	struct output_file *output = &njoin->outputs[njoin->outputs_count++];
	enum status status = output_file_probe(output, name, permits, o->sparse, e);

	status = refuse_member(njoin, output, status, e);
	return status ? status : refuse_repeated(njoin->outputs, output, e);
}

enum status njoin_probe_outputs(struct njoin *njoin, struct error *e)
{
	const struct names *names = &njoin->options.outputs;
	enum status status = STATUS_OK;

	njoin->outputs = calloc(names->count + 1, sizeof(*njoin->outputs));
	if (!njoin->outputs)
		return error_system(e, ENOMEM, "%zu outputs", names->count);
	for (size_t i = 0; i < names->count && !status; i++)
		status = probe_output(njoin, names->names[i], e);
	return status;
}

static enum status open_all(const struct njoin *njoin, bool seekable, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < njoin->outputs_count && !status; i++)
		if (output_file_seekable(&njoin->outputs[i]) == seekable)
			status = output_file_open(&njoin->outputs[i], e);
	return status;
}

enum status njoin_open_outputs(struct njoin *njoin, struct error *e)
{
	enum status status;

	signals_prepare();
	/* A named pipe waits for its reader, and a signal ends that; a file must be removed then. */
	status = open_all(njoin, false, e);
	if (!status)
		status = signals_open(&njoin->signal_fd, e);
	return status ? status : open_all(njoin, true, e);
}

bool njoin_seekable(const struct njoin *njoin)
{
	for (size_t i = 0; i < njoin->outputs_count; i++)
		if (!output_file_seekable(&njoin->outputs[i]))
			return false;
	return true;
}

void njoin_free_outputs(struct njoin *njoin)
{
	for (size_t i = 0; i < njoin->outputs_count; i++)
		output_file_free(&njoin->outputs[i]);
	free(njoin->outputs);
	njoin->outputs = NULL;
	njoin->outputs_count = 0;
}

enum { STEP_STACK = 512 * 1024 };

void njoin_die(struct njoin *njoin)
{
	njoin_free_outputs(njoin);
	message_settle();
	signals_raise(njoin->stop.signal);
}

/* --- the search -------------------------------------------------------------------------- */

/* Without layers, a walk reports all damage, and so does that of --salvage. */
static void report_damage(void *arg, size_t location, const struct error *e)
{
	const struct njoin *njoin = arg;
	const struct njoin_options *o = &njoin->options;

	(void)location;
	if (set_has_layers(&njoin->set) && !(o->mode == NJOIN_WRITE && o->salvage))
		njoin_report_damage(arg, e);
}

/* "12.5 %, 10240 of 81920 records examined, 0:14 left" */
static void show_search(void *arg, uint64_t done, uint64_t all)
{
	struct njoin *njoin = arg;
	double part = all ? (double)done / (double)all : 1, seconds = clock_seconds() - njoin->started;
	char line[PROGRESS_LINE_LENGTH], left[SIZE_TEXT_LENGTH];

	snprintf(line, sizeof(line), "%.1f %%, %" PRIu64 " of %" PRIu64 " records examined, %s left", 100 * part, done, all,
		 duration_format(part > 0 ? seconds / part - seconds : 0, left));
	progress_line(&njoin->progress, seconds, line);
}

enum status njoin_find_absent(struct njoin *njoin, struct error *e)
{
	struct contents_watch watch = { .damaged = report_damage, .searching = show_search, .arg = njoin };
	enum status status;

	if (njoin->absent_known)
		return STATUS_OK;
	watch.interval = njoin_begin_progress(njoin);
	status = set_absent_find(&njoin->absent, &njoin->set, &watch, e);
	njoin_end_progress(njoin, watch.interval);
	njoin->absent_known = !status;
	return status;
}

double njoin_begin_progress(struct njoin *njoin)
{
	progress_init(&njoin->progress, njoin->options.progress, njoin->options.quiet);
	njoin->started = clock_seconds();
	return progress_interval(&njoin->progress);
}

void njoin_end_progress(struct njoin *njoin, double interval)
{
	if (njoin->progress.due > interval)
		progress_end(&njoin->progress);
}

/* --- walks ------------------------------------------------------------------------------- */

/* The progress of the current or the last walk. */
static void walk_figures(const struct njoin *njoin, struct progress_figures *figures)
{
	uint64_t done, read;

	walk_progress(njoin->walk, &done, &read);
	*figures = (struct progress_figures){
		.done = done,
		.total = max_u64(done, njoin->to - njoin->from),
		.moved = read,
		.verb = set_is_made(&njoin->set) ? NULL : "read",
		.seconds = clock_seconds() - njoin->started,
	};
	if (njoin->phase == PHASE_SYNC)
		snprintf(figures->stage, sizeof(figures->stage), "syncing %zu output%s", njoin->outputs_count,
			 plural(njoin->outputs_count));
}

static void stop(struct njoin *njoin, enum request request)
{
	/*
	 * No output is complete enough to be finished, unless the walk is over; and a stream may never accept more.
	 */
	if (request == REQUEST_STOP_NOW || njoin->phase == PHASE_STEP || !njoin_seekable(njoin)) {
		/* A step may show progress of its own. */
		if (njoin->phase != PHASE_STEP)
			progress_end(&njoin->progress);
		message_settle();
		for (size_t i = 0; i < njoin->outputs_count; i++)
			output_file_abandon(&njoin->outputs[i]);
		signals_raise(njoin->stop.latest);
	}
	/* A process in fsync() mostly cannot end, not even by SIGKILL, so nothing is lost by waiting. */
	if (njoin->phase == PHASE_SYNC)
		message("%s: waiting for %zu output%s to be synced; a second signal ends this at once",
			strsignal(njoin->stop.signal), njoin->outputs_count, plural(njoin->outputs_count));
	else
		walk_stop(njoin->walk);
}

static void tick(void *arg)
{
	struct njoin *njoin = arg;
	bool walked = njoin->phase != PHASE_STEP;
	struct progress_figures figures;
	enum request request;

	while ((request = signals_next(njoin->signal_fd, &njoin->stop))) {
		if (request != REQUEST_REPORT) {
			stop(njoin, request);
		} else if (walked) {
			walk_figures(njoin, &figures);
			progress_now(&figures);
		}
	}
	if (walked) {
		walk_figures(njoin, &figures);
		progress_tick(&njoin->progress, &figures);
	}
}

enum status njoin_run_walk(struct njoin *njoin, struct walk_settings *settings, struct error *e)
{
	enum status status;

	settings->threads = njoin->options.threads;
	settings->from = njoin->from;
	settings->to = njoin->to;
	settings->watch = (struct watch){ .fd = njoin->signal_fd, .tick = tick, .arg = njoin };
	settings->watch.interval = njoin_begin_progress(njoin);
	njoin->phase = PHASE_WALK;
	walk_free(njoin->walk);
	njoin->walk = NULL;
	status = walk_new(&njoin->walk, &njoin->set, settings, e);
	if (!status)
		status = walk_run(njoin->walk, e);
	progress_end(&njoin->progress);
	return status;
}

/* Of a plain core or a dump.  The walk counts pages that are missing, too. */
static void report_pages(const struct njoin *njoin, const struct progress_figures *f)
{
	const struct njoin_options *o = &njoin->options;
	/* All 0 unless a kdump-compressed file was written. */
	const struct pages *p = &njoin->kdump.pages;
	uint64_t lost = kdump_export_missing(&njoin->kdump) * p->page_size, done;
	char size[SIZE_TEXT_LENGTH], missing[SIZE_TEXT_LENGTH], rate[SIZE_TEXT_LENGTH];
	const char *verb = o->mode == NJOIN_WRITE ? "exported" : "verified";

	if (njoin->dump_pages)
		lost = njoin->dump_pages * njoin->set.members->dump->page_size;
	if (o->mode == NJOIN_WRITE && o->format == NJOIN_KDUMP)
		done = (p->count + p->lost) * p->page_size - lost;
	else
		done = f->done - min_u64(f->done, lost);
	size_format(done, size);
	rate_format(done, f->seconds, rate);
	if (lost)
		message("%s %s in %.2f s, %s/s; %s are missing", verb, size, f->seconds, rate,
			size_format(lost, missing));
	else
		message("%s %s in %.2f s, %s/s", verb, size, f->seconds, rate);
}

void njoin_report_summary(const struct njoin *njoin)
{
	char done[SIZE_TEXT_LENGTH], moved[SIZE_TEXT_LENGTH], rate[SIZE_TEXT_LENGTH];
	const struct set *set = &njoin->set;
	struct progress_figures f;

	walk_figures(njoin, &f);
	f.seconds = clock_seconds() - njoin->began;
	if (set_is_made(set)) {
		report_pages(njoin, &f);
		return;
	}
	message("%s %s in %.2f s, %s/s; %s read from %u member%s", size_format(f.done, done),
		njoin->options.mode == NJOIN_WRITE ? "joined" : "verified", f.seconds,
		rate_format(f.done, f.seconds, rate), size_format(f.moved, moved), set->count,
		plural(set->count));
}

/* --- other steps ------------------------------------------------------------------------- */

struct step {
	struct njoin *njoin;
	njoin_work *work;
	enum status status;
	struct error error;
};

static void step_main(void *arg, unsigned number)
{
	struct step *step = arg;

	(void)number;
	step->status = step->work(step->njoin, &step->error);
}

enum status njoin_run_step(struct njoin *njoin, enum njoin_phase phase, njoin_work *work, struct error *e)
{
	struct step step = { .njoin = njoin, .work = work };
	struct thread_pool pool = { .count = 1, .stack = STEP_STACK, .work = step_main, .arg = &step };
	bool syncs = phase == PHASE_SYNC;
	const struct watch watch = {
		.fd = njoin->signal_fd,
		.interval = syncs ? progress_interval(&njoin->progress) : 1,
		.tick = tick,
		.arg = njoin,
	};
	enum status status;

	njoin->phase = phase;
	tick(njoin);
	status = thread_pool_run(&pool, &watch, e);
	/* What was written is not lost because there is no memory for a thread. */
	if (status && syncs)
		step_main(&step, 0);
	else if (status)
		return status;
	if (syncs)
		progress_end(&njoin->progress);
	if (step.status)
		*e = step.error;
	return step.status;
}
