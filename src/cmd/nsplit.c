// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit: capture a core on N threads to K outputs. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "base/signals.h"
#include "base/size.h"
#include "base/supervise.h"
#include "capture/fit.h"
#include "cmd/message.h"
#include "cmd/nsplit_check.h"
#include "cmd/nsplit_options.h"
#include "cmd/nsplit_probe.h"
#include "cmd/nsplit_report.h"
#include "cmd/outputs.h"

enum { UNREADABLE_TOLD = 20 };

/* All that a run of the program holds; main's, and handed down. */
struct run {
	struct nsplit_options options;
	struct source *source;
	struct sink *sinks;
	unsigned count;
	unsigned without;		/* see nsplit_probe() */
	struct capture *capture;
	struct progress progress;
	int signal_fd;
	sigset_t heeded;		/* see signals_heeded() */
	struct stop stop;
	pid_t parent;			/* see supervise() */
	bool hung;			/* an output hangs in a call, and so may the program */
	bool may_hang;			/* or one has failed, and its file system with it perhaps */
	_Atomic unsigned unreadable;	/* ranges told of; written by any thread */
};

static enum status fixed_time_from_environment(int64_t *seconds, struct error *e)
{
	const char *text = getenv("SOURCE_DATE_EPOCH");
	uint64_t number;
	enum status status;

	*seconds = -1;
	if (!text || !*text)
		return STATUS_OK;
	status = number_parse(text, "SOURCE_DATE_EPOCH", 0, INT64_MAX, &number, e);
	if (!status)
		*seconds = (int64_t)number;
	return status;
}

/* A UUID that was given may have been used before; 0 is the tag of members that are reproducible. */
static enum status choose_tag(struct capture_settings *settings, struct error *e)
{
	uint32_t *tag = &settings->id.tag;
	enum status status;

	if (settings->fixed_time >= 0)
		return STATUS_OK;
	status = random_bytes(tag, sizeof(*tag), e);
	if (!*tag)
		*tag = 1;
	return status;
}

static enum status choose_identity(struct run *run, struct error *e)
{
	struct capture_settings *settings = &run->options.capture;
	enum status status;

	settings->creator = PACKAGE_STRING;
	status = fixed_time_from_environment(&settings->fixed_time, e);
	if (!status)
		status = choose_tag(settings, e);
	if (status || run->options.uuid_given)
		return status;
	status = random_bytes(settings->id.uuid.bytes, UUID_LENGTH, e);
	uuid_from_random(&settings->id.uuid);
	return status;
}

static void current_figures(struct run *run, struct progress_figures *figures)
{
	struct capture_progress p;

	capture_get_progress(run->capture, &p);
	*figures = (struct progress_figures){
		.done = p.source_bytes,
		.total = p.source_size,
		.moved = p.member_bytes,
		.verb = "written",
		.seconds = p.seconds,
	};
}

static void on_signal(struct run *run, int signal)
{
	struct progress_figures figures;
	bool asked;

	if (!signal_asks_to_stop(signal)) {
		current_figures(run, &figures);
		progress_now(&figures);
		return;
	}
	asked = run->stop.signal;
	stop_ask(&run->stop, signal);
	/* The parent knows better whether it is one request that came twice. */
	if (run->stop.twice && !run->parent)
		signals_raise(signal);
	if (asked)
		return;
	/* First of all: standard error may be slow, or stopped. */
	capture_stop(run->capture);
	message("%s: closing the members", strsignal(signal));
}

static void tick(void *arg)
{
	struct run *run = arg;
	struct progress_figures figures;
	int signal;

	while ((signal = signals_next(run->signal_fd)))
		on_signal(run, signal);
	current_figures(run, &figures);
	progress_tick(&run->progress, &figures);
}

static void sink_failed(void *arg, const struct sink_stats *stats, const struct sinks_left *left)
{
	/* One that has ended well is as good as one that goes on; but takes over nothing. */
	unsigned good = left->taking + left->ended;
	char kept[SIZE_TEXT_LENGTH + 16] = "given up", size[SIZE_TEXT_LENGTH];

	(void)arg;
	if (stats->state == SINK_FULL)
		snprintf(kept, sizeof(kept), "%s kept there",
			 size_format(stats->member_bytes, size));
	if (left->fallback)
		message("%s; %s, continuing on the fallback %s", stats->why.text, kept,
			left->fallback);
	else if (left->taking)
		message("%s; %s, continuing on %u output%s", stats->why.text, kept, good,
			good == 1 ? "" : "s");
	else if (left->ended)
		message("%s; %s, no other output takes more", stats->why.text, kept);
	else
		message("%s; %s, no output is left", stats->why.text, kept);
}

static void unreadable(void *arg, uint64_t offset, uint64_t length, const struct error *why)
{
	struct run *run = arg;
	unsigned told = run->unreadable++;

	if (told < UNREADABLE_TOLD)
		message("unreadable: bytes %" PRIu64 " to %" PRIu64 " (%s)", offset,
			offset + length - 1, why->text);
	else if (told == UNREADABLE_TOLD)
		message("unreadable: more ranges are not listed here; \"njoin -v\" lists all");
}

/*
 * A command may print on standard output, unless a member goes there.  How long a fallback may
 * wait for its reader, the engine watches.
 */
static void settle_sinks(struct run *run)
{
	const struct capture_settings *settings = &run->options.capture;
	bool mute = outputs_take_stdout(run->sinks, run->count);

	for (unsigned i = 0; i < run->count; i++)
		sink_command_settings(&run->sinks[i], mute, &run->heeded);
	for (unsigned i = 0; i + settings->fallbacks < run->count; i++)
		run->sinks[i].patience = settings->sink_timeout;
}

static enum status probe_outputs(struct run *run, struct error *e)
{
	struct nsplit_options *o = &run->options;
	enum status status;

	run->sinks = calloc(o->outputs.count, sizeof(*run->sinks));
	if (!run->sinks)
		return error_system(e, ENOMEM, "%zu outputs", o->outputs.count);
	status = nsplit_probe(o, run->source, run->sinks, &run->without, e);
	run->count = (unsigned)o->outputs.count;
	settle_sinks(run);
	return status;
}

/* If memory is short, one message says what is used instead. */
static enum status fit(struct run *run, struct memory_plan *plan, struct error *e)
{
	struct limits limits = limits_here();
	struct fit_note note;
	enum status status = capture_fit(&run->options.capture, run->source, run->sinks, run->count,
					 &limits, plan, &note, e);

	if (!status && note.outcome != FIT_AS_WANTED)
		message("%s", note.text.text);
	return status;
}

static enum status prepare(struct run *run, struct memory_plan *plan, struct error *e)
{
	const struct nsplit_options *o = &run->options;
	enum status status;

	status = choose_identity(run, e);
	if (!status)
		status = source_open(&run->source, o->source, o->mmap, e);
	if (!status)
		status = probe_outputs(run, e);
	if (!status)
		status = fit(run, plan, e);
	return status;
}

static void fewer_threads(void *arg, unsigned wanted, unsigned workers, int errnum)
{
	(void)arg;
	if (workers)
		message("threads: only %u of %u that compress could be created: %s; continuing with "
			"these", workers, wanted, strerror(errnum));
	else
		message("threads: none that compresses could be created: %s; continuing with one "
			"thread for everything", strerror(errnum));
}

/* As planned, or with less memory, as long as the system refuses as much. */
static enum status make_capture(struct run *run, struct memory_plan *plan, struct error *e)
{
	struct capture_settings *settings = &run->options.capture;
	struct fit_note note = { .outcome = FIT_AS_WANTED };
	enum status status;

	do {
		status = capture_new(&run->capture, settings, plan, run->source, run->sinks,
				     run->count, e);
	} while (status == STATUS_NO_MEMORY &&
		 capture_fit_again(settings, run->source, run->sinks, run->count, plan, &note));
	if (!status && note.outcome != FIT_AS_WANTED)
		message("%s", note.text.text);
	return status;
}

static enum status capture(struct run *run, struct memory_plan *plan, struct error *e)
{
	struct capture_watch watch = {
		.watch = { .tick = tick, .arg = run },
		.sink_failed = sink_failed,
		.unreadable = unreadable,
		.fewer_threads = fewer_threads,
	};
	enum status status;

	status = make_capture(run, plan, e);
	if (status)
		return status;
	capture_open(run->capture, &watch);
	/* Only now: while a pipe waits for its reader, a signal may end the program. */
	status = signals_open(&run->signal_fd, e);
	if (status)
		return status;
	progress_init(&run->progress, run->options.progress, run->options.quiet);
	watch.watch.fd = run->signal_fd;
	watch.watch.interval = progress_interval(&run->progress);
	return capture_run(run->capture, e);
}

/*
 * No record was ever written to it, after a failure; or the capture is perfect without those that
 * were: then njoin should not stumble over it.  In all other cases salvage may need them.
 */
static bool is_useless(const struct sink_stats *stats, enum status outcome)
{
	bool ended = outcome == STATUS_OK || outcome == STATUS_MISSING ||
		     outcome == STATUS_STOPPED;

	if (!stats->written)
		return !ended || stats->state != SINK_TAKING;
	return outcome == STATUS_OK && stats->state == SINK_DEAD;
}

/* What was said when the sinks were closed; what becomes of the outcome. */
static enum status tell_closing(struct run *run, enum status outcome, struct error *e)
{
	for (unsigned i = 0; i < run->count; i++) {
		struct sink_stats stats;

		capture_get_sink(run->capture, i, &stats);
		run->hung |= stats.hung;
		run->may_hang |= stats.hung || stats.state == SINK_DEAD;
		if (stats.closing.status == STATUS_OK || stats.state == SINK_DEAD)
			continue;
		/*
		 * What counts was made safe before (sink_sync), or is in the pipe.  Not so where
		 * the last close still writes, as to a tape; that of standard output is not ours.
		 */
		if (!S_ISCHR(run->sinks[i].identity.type) || run->sinks[i].is_stdout) {
			message("%s; only closing it failed, it was safe before",
				stats.closing.text);
			continue;
		}
		message("%s", stats.closing.text);
		if (outcome == STATUS_OK)
			outcome = error_set(e, STATUS_MISSING, "what is on the outputs may not be "
					    "whole");
	}
	return outcome;
}

/*
 * A program that failed before it wrote anything leaves an empty stream, and there is no status of
 * it to look at.  A file that is empty is another matter: its size was known beforehand.
 */
static enum status tell_empty(const struct run *run, enum status outcome, struct error *e)
{
	if (outcome != STATUS_OK || !run->source->is_stream || run->source->size)
		return outcome;
	return error_set(e, STATUS_MISSING, "%s: ended without a single byte, so the members are "
			 "empty; check the program that should have written to it",
			 run->source->name);
}

/* Removes files that we made and that are useless; of one that hangs, nothing is touched. */
static void discard_useless(struct run *run, enum status outcome)
{
	for (unsigned i = 0; i < run->count; i++) {
		struct sink_stats stats;

		capture_get_sink(run->capture, i, &stats);
		if (!stats.hung && is_useless(&stats, outcome))
			sink_discard(&run->sinks[i]);
	}
}

static int exit_status(enum status outcome)
{
	return outcome == STATUS_OK ? EXIT_PERFECT :
	       outcome == STATUS_MISSING ? EXIT_INCOMPLETE : EXIT_FAILED;
}

/* The members are what the source was when it was opened, and that is whole. */
static void tell_growth(const struct run *run)
{
	uint64_t growth = source_growth(run->source);

	if (growth)
		message("%s: grew by %" PRIu64 " bytes while it was captured; these are not in the "
			"members", run->source->name, growth);
}

/* Members that a filter reported as stored and that are not found here. */
static void tell_unseen(const struct run *run)
{
	for (unsigned i = 0; i < run->count; i++) {
		struct sink_stats stats;

		capture_get_sink(run->capture, i, &stats);
		if (stats.state == SINK_ENDED && run->sinks[i].unseen)
			message("%s: the command ended with status 0, and there is no file of this "
				"name here; check that the member is where it should be",
				run->sinks[i].name);
	}
}

/* Printed at the start, and again as the last lines, where it is seen. */
static void tell_in_memory(const struct run *run)
{
	struct error e;

	for (unsigned i = 0; i < run->count; i++) {
		struct sink_stats stats;

		capture_get_sink(run->capture, i, &stats);
		if (stats.records && stats.state != SINK_DEAD &&
		    nsplit_probe_memory(&run->options, &run->sinks[i], &e))
			message("warning: %s", e.text);
	}
}

static bool captured_something(struct run *run)
{
	struct capture_progress p;

	capture_get_progress(run->capture, &p);
	return p.member_bytes;
}

/* False: a thread may be left in a write to standard error, and nothing can be freed. */
static bool end_messages(struct run *run, int status)
{
	if (message_settle())
		return true;
	supervise_release(run->parent, status, run->stop.signal);
	run->hung = true;
	return false;
}

static int finish(struct run *run, enum status outcome, struct error *e)
{
	const struct nsplit_options *o = &run->options;
	struct error why;

	progress_end(&run->progress);
	outcome = tell_closing(run, outcome, e);
	outcome = tell_empty(run, outcome, e);
	/* In any of what follows. */
	if (run->may_hang)
		supervise_release(run->parent, exit_status(outcome), run->stop.signal);
	discard_useless(run, outcome);
	tell_growth(run);
	tell_unseen(run);
	if (outcome != STATUS_OK && outcome != STATUS_STOPPED)
		message("%s", e->text);
	if ((outcome == STATUS_MISSING || outcome == STATUS_STOPPED) &&
	    capture_closed_any(run->capture))
		report_missing(run->capture);
	if (run->progress.shown && captured_something(run))
		report_summary(&o->capture.ladder, run->capture, run->sinks, run->count);
	if (o->stats_file &&
	    report_stats(o, run->capture, run->source, run->sinks, outcome, &why))
		/* Nor is the exit status: a script would throw a perfect copy away. */
		message("%s; the capture itself is not concerned", why.text);
	tell_in_memory(run);
	if (run->stop.signal && !run->hung && end_messages(run, exit_status(outcome)))
		signals_raise(run->stop.signal);
	return exit_status(outcome);
}

static int run_all(struct run *run)
{
	struct memory_plan plan;
	struct error e;
	enum status status = prepare(run, &plan, &e);

	if (status) {
		message("%s", e.text);
		return status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	if (run->options.dry_run) {
		report_plan(stdout, &run->options, run->source, run->sinks, &plan);
		return run->without ? EXIT_FAILED : EXIT_PERFECT;
	}
	if (run->options.verbose)
		report_plan_as_message(&run->options, run->source, run->sinks, &plan);
	status = capture(run, &plan, &e);
	if (run->capture)
		return finish(run, status, &e);
	message("%s", e.text);
	return EXIT_FAILED;
}

static void free_all(struct run *run)
{
	capture_free(run->capture);
	for (unsigned i = 0; run->sinks && i < run->count; i++)
		sink_free(&run->sinks[i]);
	free(run->sinks);
	source_close(run->source);
	if (run->signal_fd >= 0)
		close(run->signal_fd);
	nsplit_options_free(&run->options);
}

int main(int argc, char **argv)
{
	struct run run = { .signal_fd = -1 };
	int status;

	message_open_standard();
	/* Before anything is printed, and before there is a parent that passes signals on. */
	signals_heeded(&run.heeded);
	signals_prepare();
	status = nsplit_options_read(&run.options, argc, argv);
	if (status == OPTIONS_READ && run.options.check_params) {
		status = nsplit_check(&run.options);
	} else if (status == OPTIONS_READ) {
		/* Where nothing is given up for hanging, nothing must be able to end without. */
		if (!run.options.dry_run && !run.options.capture.serial)
			run.parent = supervise();
		message_begin(!run.options.capture.serial);
		status = run_all(&run);
	}
	status = message_close_output(status);
	if (!run.hung && end_messages(&run, status))
		message_end();
	if (run.hung) {
		/* What the thread that hangs still uses stays as it is. */
		supervise_release(run.parent, status, run.stop.signal);
		if (run.stop.signal)
			signals_raise(run.stop.signal);
		_exit(status);
	}
	free_all(&run);
	return status;
}
