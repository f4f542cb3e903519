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

/* Where the pages are in memory. */
static void report_addresses(struct njoin_findings *f, uint64_t offset, uint64_t length)
{
	uint64_t some;

	for (uint64_t end = offset + length; offset < end; offset += some) {
		uint64_t address = dump_address(f->dump, offset, &some);

		some = min_u64(some, end - offset);
		if (message_list_next(&f->unreadable) == ENTRY_LISTED)
			message("missing: physical 0x%" PRIx64 " to 0x%" PRIx64, address, address + some - 1);
	}
}

void njoin_report_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct njoin_findings *f = arg;
	uint64_t last = offset + length - 1;

	if (f->dump) {
		report_addresses(f, offset, length);
		return;
	}
	if (message_list_next(&f->unreadable) != ENTRY_LISTED)
		return;
	if (f->plain)
		message("unreadable: bytes %" PRIu64 " to %" PRIu64, offset, last);
	else
		message("unreadable when captured: bytes %" PRIu64 " to %" PRIu64, offset, last);
}

void njoin_report_more_unreadable(const struct njoin_findings *f)
{
	unsigned more = message_list_more(&f->unreadable);

	if (more && f->dump)
		message("missing: %u more range%s", more, plural(more));
	else if (more && f->plain)
		message("unreadable: %u more range%s", more, plural(more));
	else if (more)
		message("unreadable when captured: %u more range%s", more, plural(more));
}

void njoin_report_damage(void *arg, const struct error *e)
{
	struct njoin_findings *f = arg;
	enum message_entry entry = message_list_next(&f->damage);

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

void njoin_report_dump(const struct njoin_findings *f)
{
	const struct dump *d = f->dump;

	if (f->dump_pages)
		message("missing: %" PRIu64 " page%s of %" PRIu32 " bytes", f->dump_pages,
			plural(f->dump_pages), d->page_size);
	for (size_t i = 0; i < d->count; i++) {
		if (d->parts[i].unusable)
			message("%s", d->parts[i].unusable);
		else
			njoin_report_file(&d->parts[i].file);
	}
	if (d->erased_lost)
		message("%s: the list of what makedumpfile erased from the dump cannot be read", d->parts[0].file.name);
	if (dump_lacks_files(d))
		message("%s: belongs to a split dump; not all of its files were given", d->parts[0].file.name);
	for (size_t i = 0; i < d->count; i++)
		if (d->parts[i].flags & KDUMP_INCOMPLETE)
			message("%s: is marked as incomplete by the program that wrote it", d->parts[i].file.name);
}

/* --- outputs ----------------------------------------------------------------------------- */

/* Identifies an operand ("-": standard input), usable as a member or not; false if unknown. */
static bool given_identity(const char *name, struct identity *id)
{
	bool standard = strcmp(name, "-") == 0;
	struct stat st;

	if ((standard ? fstat(STDIN_FILENO, &st) : stat(name, &st)) < 0)
		return false;
	*id = identity_of(&st);
	return true;
}

/* Identifies an output.  A new file is identified by its directory and its name in it. */
static bool output_identity(const struct output_file *output, struct identity *id)
{
	*id = output->identity;
	return id->type || identity_of_new(id, output->name);
}

/*
 * Operands that --salvage could not use are refused, too: they may be all that is left of a member.
 */
static enum status refuse_given(const struct names *given, const struct output_file *output,
				struct error *e)
{
	struct identity id;

	for (size_t i = 0; i < given->count; i++)
		if (output->identity.type && given_identity(given->names[i], &id) &&
		    identity_equal(&output->identity, &id))
			return error_set(e, STATUS_USAGE, "%s: is also given as a member; nothing was "
					 "written; choose another output", output->name);
	return STATUS_OK;
}

static enum status refuse_member(const struct set *set, const struct output_file *output,
				 struct error *e)
{
	for (unsigned i = 0; i < set->count; i++)
		if (output->identity.type &&
		    identity_equal(&output->identity, &set->members[i].identity))
			return error_set(e, STATUS_USAGE, "%s: is %s; nothing was written; choose "
					 "another output", output->name,
					 set_is_made(set) ? "the source" : "a member of the set");
	return STATUS_OK;
}

/* A missing directory is reported later, when the file is created. */
static enum status refuse_repeated(const struct output_file *first, const struct output_file *output,
				   struct error *e)
{
	const struct output_file *before = first;
	struct identity id, other;

	for (; before < output; before++)
		if (output_identity(output, &id) && output_identity(before, &other) &&
		    identity_equal(&id, &other))
			return names_refuse_repeated(output->name, before->name, e);
	return STATUS_OK;
}

static enum status refuse_stream(enum njoin_format format, const struct output_file *output,
				 struct error *e)
{
	if (format == NJOIN_ELF || output_file_seekable(output))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: is a stream, but --format=kdump requires random "
			 "access; write to a file with -o", output->name);
}

static unsigned permits(const struct njoin_options *o)
{
	return (o->force || o->overwrite_dumps ? PERMIT_OVERWRITE : 0) | (o->overwrite_dumps ? PERMIT_DUMPS : 0) |
	       (o->any_owner ? PERMIT_ANY_OWNER : 0);
}

enum status njoin_probe_outputs(struct njoin_outputs *outputs, const struct njoin_options *o,
				const struct set *set, struct error *e)
{
	enum status status = STATUS_OK;

	outputs->files = calloc(o->outputs.count + 1, sizeof(*outputs->files));
	if (!outputs->files)
		return error_system(e, ENOMEM, "%zu outputs", o->outputs.count);
	while (outputs->count < o->outputs.count && !status) {
		struct output_file *output = &outputs->files[outputs->count];

		status = output_file_probe(output, o->outputs.names[outputs->count++], permits(o), o->sparse, e);
		/* No option allows that. */
		if (refuse_member(set, output, e) || refuse_given(&o->members, output, e))
			status = e->status;
		if (!status)
			status = refuse_stream(o->format, output, e);
		if (!status)
			status = refuse_repeated(outputs->files, output, e);
	}
	return status;
}

enum status njoin_open_outputs(const struct njoin_outputs *outputs, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < outputs->count && !status; i++)
		status = output_file_open(&outputs->files[i], e);
	return status;
}

bool njoin_seekable(const struct njoin_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (!output_file_seekable(&outputs->files[i]))
			return false;
	return true;
}

static void njoin_abandon_outputs(const struct njoin_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		output_file_abandon(&outputs->files[i]);
}

void njoin_free_outputs(struct njoin_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		output_file_free(&outputs->files[i]);
	free(outputs->files);
	*outputs = (struct njoin_outputs){ 0 };
}

enum { STEP_STACK = 512 * 1024 };

static void end_at_once(const struct njoin_run *run)
{
	njoin_abandon_outputs(&run->outputs);
	signals_raise(run->stop.latest);
}

void njoin_die(struct njoin_run *run)
{
	njoin_free_outputs(&run->outputs);
	message_settle();
	signals_raise(run->stop.signal);
}

/* --- the search -------------------------------------------------------------------------- */

struct search {
	struct progress progress;
	double started;
	struct njoin_findings *findings;	/* NULL: damage is not reported */
};

static void report_damage(void *arg, size_t location, const struct error *e)
{
	const struct search *search = arg;

	(void)location;
	if (search->findings)
		njoin_report_damage(search->findings, e);
}

struct search_figures {
	uint64_t done, all;		/* records */
	double seconds;
};

/* "12.5 %, 10240 of 81920 records examined, 0:14 left" */
static void describe_search(const void *arg, unsigned columns, char line[PROGRESS_LINE_LENGTH])
{
	const struct search_figures *s = arg;
	double part = s->all ? (double)s->done / (double)s->all : 1;
	char left[SIZE_TEXT_LENGTH];

	(void)columns;			/* short enough for any terminal */
	snprintf(line, PROGRESS_LINE_LENGTH, "%.1f %%, %" PRIu64 " of %" PRIu64 " records examined, %s "
		 "left", 100 * part, s->done, s->all,
		 duration_format(part > 0 ? s->seconds / part - s->seconds : 0, left));
}

static void show_search(void *arg, uint64_t done, uint64_t all)
{
	struct search *search = arg;
	const struct search_figures s = { done, all, clock_seconds() - search->started };

	progress_line(&search->progress, s.seconds, describe_search, &s);
}

enum status njoin_find_absent(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	/* Without layers, a walk reports all damage, and so does that of --salvage. */
	bool silent = !set_has_layers(&njoin->input.set) || (o->mode == NJOIN_WRITE && o->salvage);
	struct search search = {
		.started = clock_seconds(),
		.findings = silent ? NULL : &njoin->findings,
	};
	struct contents_watch watch = {
		.damaged = report_damage, .searching = show_search, .arg = &search,
	};
	enum status status;

	if (njoin->absent_known)
		return STATUS_OK;
	progress_init(&search.progress, o->progress, o->quiet);
	watch.interval = progress_interval(&search.progress);
	status = set_absent_find(&njoin->absent, &njoin->input.set, &watch, e);
	/* Only if a line was shown, since it rarely takes that long. */
	if (search.progress.due > watch.interval)
		progress_end(&search.progress);
	njoin->absent_known = !status;
	return status;
}

enum status njoin_check_range(const struct njoin_input *in, const struct njoin_options *o, struct error *e)
{
	uint64_t size = in->set.source_size;

	if (o->range_given && in->to > size)
		return error_set(e, STATUS_USAGE, "--range: byte %" PRIu64 " is beyond the end of "
				 "the source, which has %" PRIu64 " byte%s", in->to - 1, size, plural(size));
	return STATUS_OK;
}

/* --- walks ------------------------------------------------------------------------------- */

/* The progress of the current or the last walk. */
static void walk_figures(const struct njoin_run *run, struct progress_figures *figures)
{
	const struct njoin_input *in = run->input;
	uint64_t done, read;

	walk_progress(run->walk, &done, &read);
	*figures = (struct progress_figures){
		.done = done,
		.total = UINT64_MAX,
		.moved = read,
		.verb = set_is_made(&in->set) ? NULL : "read",
		.seconds = clock_seconds() - run->started,
	};
	if (!in->set.has_stream)
		figures->total = max_u64(done, in->to - in->from);
}

static void walk_request(struct njoin_run *run, enum request request)
{
	struct progress_figures figures;

	if (request == REQUEST_REPORT) {
		walk_figures(run, &figures);
		progress_now(&figures);
		return;
	}
	/* A stream may never accept more, so output to one is not finished. */
	if (request == REQUEST_STOP_NOW || !njoin_seekable(&run->outputs))
		end_at_once(run);
	walk_stop(run->walk);
}

static void walk_tick(void *arg)
{
	struct njoin_run *run = arg;
	struct progress_figures figures;
	enum request request;

	while ((request = signals_next(run->signal_fd, &run->stop)))
		walk_request(run, request);
	walk_figures(run, &figures);
	progress_tick(&run->progress, &figures);
}

enum status njoin_run_walk(struct njoin_run *run, struct walk_settings *settings, struct error *e)
{
	const struct njoin_options *o = run->options;
	enum status status;

	settings->threads = o->threads;
	settings->from = run->input->from;
	settings->to = run->input->to;
	settings->watch = (struct watch){ .fd = run->signal_fd, .tick = walk_tick, .arg = run };
	progress_init(&run->progress, o->progress, o->quiet);
	settings->watch.interval = progress_interval(&run->progress);
	walk_free(run->walk);
	run->walk = NULL;
	run->started = clock_seconds();
	status = walk_new(&run->walk, &run->input->set, settings, e);
	if (!status)
		status = walk_run(run->walk, e);
	progress_end(&run->progress);
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

	if (njoin->findings.dump_pages)
		lost = njoin->findings.dump_pages * njoin->findings.dump->page_size;
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
	const struct set *set = &njoin->input.set;
	struct progress_figures f;

	walk_figures(&njoin->run, &f);
	f.seconds = clock_seconds() - njoin->run.began;
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
	njoin_work *work;
	void *arg;
	enum status status;
	struct error error;
};

static void step_main(void *arg, unsigned number)
{
	struct step *step = arg;

	(void)number;
	step->status = step->work(step->arg, &step->error);
}

/* Fails only if no thread can be created. */
static enum status run_in_thread(struct njoin_run *run, struct step *step, double interval,
				 void (*tick)(void *arg), struct error *e)
{
	struct thread_pool pool = { .count = 1, .stack = STEP_STACK, .work = step_main, .arg = step };
	const struct watch watch = { .fd = run->signal_fd, .interval = interval, .tick = tick, .arg = run };

	return thread_pool_run(&pool, &watch, e);
}

/* No output is complete enough to be finished, so a request to stop ends the program at once. */
static void step_tick(void *arg)
{
	struct njoin_run *run = arg;
	enum request request;

	while ((request = signals_next(run->signal_fd, &run->stop)))
		if (request != REQUEST_REPORT)
			end_at_once(run);
}

enum status njoin_run_step(struct njoin_run *run, njoin_work *work, void *arg, struct error *e)
{
	struct step step = { .work = work, .arg = arg };
	enum status status = run_in_thread(run, &step, 1, step_tick, e);

	if (!status && step.status)
		*e = step.error;
	return status ? status : step.status;
}

static void sync_figures(const struct njoin_run *run, struct progress_figures *figures)
{
	walk_figures(run, figures);
	snprintf(figures->stage, sizeof(figures->stage), "syncing %zu output%s", run->outputs.count,
		 plural(run->outputs.count));
}

/* A process in fsync() mostly cannot end, not even by SIGKILL, so nothing is lost by waiting. */
static void sync_request(struct njoin_run *run, enum request request)
{
	struct progress_figures figures;

	if (request == REQUEST_REPORT) {
		sync_figures(run, &figures);
		progress_now(&figures);
		return;
	}
	if (request == REQUEST_STOP_NOW || !njoin_seekable(&run->outputs)) {
		progress_end(&run->progress);
		message_settle();
		end_at_once(run);
	}
	message("%s: waiting for %zu output%s to be synced; a second signal ends this at once",
		strsignal(run->stop.signal), run->outputs.count, plural(run->outputs.count));
}

static void sync_tick(void *arg)
{
	struct njoin_run *run = arg;
	struct progress_figures figures;
	enum request request;

	while ((request = signals_next(run->signal_fd, &run->stop)))
		sync_request(run, request);
	sync_figures(run, &figures);
	progress_tick(&run->progress, &figures);
}

enum status njoin_run_sync(struct njoin_run *run, njoin_work *work, void *arg, struct error *e)
{
	struct step step = { .work = work, .arg = arg };

	/* What was written is not lost because there is no memory for a thread. */
	if (run_in_thread(run, &step, progress_interval(&run->progress), sync_tick, e))
		step_main(&step, 0);
	progress_end(&run->progress);
	if (step.status)
		*e = step.error;
	return step.status;
}
