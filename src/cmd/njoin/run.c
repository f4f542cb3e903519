// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/size.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/njoin/run.h"

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
static void report_pages(const struct njoin_run *run, const struct progress_figures *f,
			 const struct njoin_pages *pages)
{
	const struct njoin_options *o = run->options;
	bool packs = o->mode == NJOIN_WRITE && o->format == NJOIN_KDUMP;
	uint64_t done = packs ? pages->written : f->done - min_u64(f->done, pages->missing);
	const char *verb = o->mode == NJOIN_WRITE ? "exported" : "verified";
	char size[SIZE_TEXT_LENGTH], missing[SIZE_TEXT_LENGTH], rate[SIZE_TEXT_LENGTH];

	size_format(done, size);
	rate_format(done, f->seconds, rate);
	if (pages->missing)
		message("%s %s in %.2f s, %s/s; %s are missing", verb, size, f->seconds, rate,
			size_format(pages->missing, missing));
	else
		message("%s %s in %.2f s, %s/s", verb, size, f->seconds, rate);
}

void njoin_report_summary(const struct njoin_run *run, const struct njoin_pages *pages)
{
	char done[SIZE_TEXT_LENGTH], moved[SIZE_TEXT_LENGTH], rate[SIZE_TEXT_LENGTH];
	const struct set *set = &run->input->set;
	struct progress_figures f;

	walk_figures(run, &f);
	f.seconds = clock_seconds() - run->began;
	if (set_is_made(set)) {
		report_pages(run, &f, pages);
		return;
	}
	message("%s %s in %.2f s, %s/s; %s read from %u member%s", size_format(f.done, done),
		run->options->mode == NJOIN_WRITE ? "joined" : "verified", f.seconds,
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
