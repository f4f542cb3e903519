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
#include "io/sink_kinds.h"

/* All that a run of the program holds; main's, and handed down. */
struct nsplit {
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
	struct message_list unreadable;	/* ranges; any thread adds to it */
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

static enum status choose_identity(struct nsplit *program, struct error *e)
{
	struct capture_settings *settings = &program->options.capture;
	enum status status;

	settings->creator = PACKAGE_STRING;
	status = fixed_time_from_environment(&settings->fixed_time, e);
	if (!status)
		status = choose_tag(settings, e);
	if (status || program->options.uuid_given)
		return status;
	status = random_bytes(settings->id.uuid.bytes, UUID_LENGTH, e);
	uuid_from_random(&settings->id.uuid);
	return status;
}

static void current_figures(struct nsplit *program, struct progress_figures *figures)
{
	struct capture_progress p;

	capture_get_progress(program->capture, &p);
	*figures = (struct progress_figures){
		.done = p.source_bytes,
		.total = p.source_size,
		.moved = p.member_bytes,
		.verb = "written",
		.seconds = p.seconds,
	};
}

static void on_request(struct nsplit *program, enum request request)
{
	struct progress_figures figures;

	if (request == REQUEST_REPORT) {
		current_figures(program, &figures);
		progress_now(&figures);
		return;
	}
	if (request == REQUEST_STOP_NOW) {
		/* A parent that receives two requests kills this process. */
		if (!program->parent)
			signals_raise(program->stop.latest);
		return;
	}
	/* First of all: standard error may be slow, or stopped. */
	capture_stop(program->capture);
	message("%s: closing the members", strsignal(program->stop.signal));
}

static void tick(void *arg)
{
	struct nsplit *program = arg;
	struct progress_figures figures;
	enum request request;

	while ((request = signals_next(program->signal_fd, &program->stop)))
		on_request(program, request);
	current_figures(program, &figures);
	progress_tick(&program->progress, &figures);
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
	struct nsplit *program = arg;
	enum message_entry entry = message_list_next(&program->unreadable);

	if (entry == ENTRY_LISTED)
		message("unreadable: bytes %" PRIu64 " to %" PRIu64 " (%s)", offset,
			offset + length - 1, why->text);
	else if (entry == ENTRY_FIRST_OMITTED)
		message("unreadable: more ranges are not listed here; \"njoin -v\" lists all");
}

/*
 * A command may print on standard output, unless a member goes there.  How long a fallback may
 * wait for its reader, the engine watches.
 */
static void settle_sinks(struct nsplit *program)
{
	const struct capture_settings *settings = &program->options.capture;
	bool mute = outputs_take_stdout(program->sinks, program->count);

	for (unsigned i = 0; i < program->count; i++)
		sink_command_settings(&program->sinks[i], mute, &program->heeded);
	for (unsigned i = 0; i + settings->fallbacks < program->count; i++)
		program->sinks[i].patience = settings->sink_timeout;
}

static enum status probe_outputs(struct nsplit *program, struct error *e)
{
	struct nsplit_options *o = &program->options;
	enum status status;

	program->sinks = calloc(o->outputs.count, sizeof(*program->sinks));
	if (!program->sinks)
		return error_system(e, ENOMEM, "%zu outputs", o->outputs.count);
	status = nsplit_probe(o, program->source, program->sinks, &program->without, e);
	program->count = (unsigned)o->outputs.count;
	settle_sinks(program);
	return status;
}

/* If memory is short, one message says what is used instead. */
static enum status fit(struct nsplit *program, struct memory_plan *plan, struct error *e)
{
	struct limits limits = limits_here();
	struct fit_note note;
	enum status status = capture_fit(&program->options.capture, program->source, program->sinks, program->count,
					 &limits, plan, &note, e);

	if (!status && note.outcome != FIT_AS_WANTED)
		message("%s", note.text.text);
	return status;
}

static enum status prepare(struct nsplit *program, struct memory_plan *plan, struct error *e)
{
	const struct nsplit_options *o = &program->options;
	enum status status;

	status = choose_identity(program, e);
	if (!status)
		status = source_open(&program->source, o->source, o->mmap, e);
	if (!status)
		status = probe_outputs(program, e);
	if (!status)
		status = fit(program, plan, e);
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
static enum status make_capture(struct nsplit *program, struct memory_plan *plan, struct error *e)
{
	struct capture_settings *settings = &program->options.capture;
	struct fit_note note = { .outcome = FIT_AS_WANTED };
	enum status status;

	do {
		status = capture_new(&program->capture, settings, plan, program->source, program->sinks,
				     program->count, e);
	} while (status == STATUS_NO_MEMORY &&
		 capture_fit_again(settings, program->source, program->sinks, program->count, plan, &note));
	if (!status && note.outcome != FIT_AS_WANTED)
		message("%s", note.text.text);
	return status;
}

static enum status capture(struct nsplit *program, struct memory_plan *plan, struct error *e)
{
	struct capture_watch watch = {
		.watch = { .tick = tick, .arg = program },
		.sink_failed = sink_failed,
		.unreadable = unreadable,
		.fewer_threads = fewer_threads,
	};
	enum status status;

	status = make_capture(program, plan, e);
	if (status)
		return status;
	capture_open(program->capture, &watch);
	/* Only now: while a pipe waits for its reader, a signal may end the program. */
	status = signals_open(&program->signal_fd, e);
	if (status)
		return status;
	progress_init(&program->progress, program->options.progress, program->options.quiet);
	watch.watch.fd = program->signal_fd;
	watch.watch.interval = progress_interval(&program->progress);
	return capture_run(program->capture, e);
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
static enum status report_closing(struct nsplit *program, enum status outcome, struct error *e)
{
	for (unsigned i = 0; i < program->count; i++) {
		struct sink_stats stats;

		capture_get_sink(program->capture, i, &stats);
		program->hung |= stats.hung;
		program->may_hang |= stats.hung || stats.state == SINK_DEAD;
		if (stats.closing.status == STATUS_OK || stats.state == SINK_DEAD)
			continue;
		/*
		 * What counts was made safe before (sink_sync), or is in the pipe.  Not so where
		 * the last close still writes, as to a tape; that of standard output is not ours.
		 */
		if (!S_ISCHR(program->sinks[i].identity.type) || program->sinks[i].is_stdout) {
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
static enum status report_empty(const struct nsplit *program, enum status outcome, struct error *e)
{
	if (outcome != STATUS_OK || !program->source->is_stream || program->source->size)
		return outcome;
	return error_set(e, STATUS_MISSING, "%s: ended without a single byte, so the members are "
			 "empty; check the program that should have written to it",
			 program->source->name);
}

/* Removes files that we made and that are useless; of one that hangs, nothing is touched. */
static void discard_useless(struct nsplit *program, enum status outcome)
{
	for (unsigned i = 0; i < program->count; i++) {
		struct sink_stats stats;

		capture_get_sink(program->capture, i, &stats);
		if (!stats.hung && is_useless(&stats, outcome))
			sink_discard(&program->sinks[i]);
	}
}

static int exit_status(enum status outcome)
{
	return outcome == STATUS_OK ? EXIT_PERFECT :
	       outcome == STATUS_MISSING ? EXIT_INCOMPLETE : EXIT_FAILED;
}

/* The members are what the source was when it was opened, and that is whole. */
static void report_growth(const struct nsplit *program)
{
	uint64_t growth = source_growth(program->source);

	if (growth)
		message("%s: grew by %" PRIu64 " bytes while it was captured; these are not in the "
			"members", program->source->name, growth);
}

/* Members that a filter reported as stored and that are not found here. */
static void report_unseen(const struct nsplit *program)
{
	for (unsigned i = 0; i < program->count; i++) {
		struct sink_stats stats;

		capture_get_sink(program->capture, i, &stats);
		if (stats.state == SINK_ENDED && program->sinks[i].unseen)
			message("%s: the command ended with status 0, and there is no file of this "
				"name here; check that the member is where it should be",
				program->sinks[i].name);
	}
}

/* Printed at the start, and again as the last lines, where it is seen. */
static void report_in_memory(const struct nsplit *program)
{
	struct error e;

	for (unsigned i = 0; i < program->count; i++) {
		struct sink_stats stats;

		capture_get_sink(program->capture, i, &stats);
		if (stats.records && stats.state != SINK_DEAD &&
		    nsplit_probe_memory(&program->options, &program->sinks[i], &e))
			message("warning: %s", e.text);
	}
}

static bool captured_something(struct nsplit *program)
{
	struct capture_progress p;

	capture_get_progress(program->capture, &p);
	return p.member_bytes;
}

/* False: a thread may be left in a write to standard error, and nothing can be freed. */
static bool end_messages(struct nsplit *program, int status)
{
	if (message_settle())
		return true;
	supervise_release(program->parent, status, program->stop.signal);
	program->hung = true;
	return false;
}

static int finish(struct nsplit *program, enum status outcome, struct error *e)
{
	const struct nsplit_options *o = &program->options;
	struct error why;

	progress_end(&program->progress);
	outcome = report_closing(program, outcome, e);
	outcome = report_empty(program, outcome, e);
	/* In any of what follows. */
	if (program->may_hang)
		supervise_release(program->parent, exit_status(outcome), program->stop.signal);
	discard_useless(program, outcome);
	report_growth(program);
	report_unseen(program);
	if (outcome != STATUS_OK && outcome != STATUS_STOPPED)
		message("%s", e->text);
	if ((outcome == STATUS_MISSING || outcome == STATUS_STOPPED) &&
	    capture_closed_any(program->capture))
		report_missing(program->capture);
	if (program->progress.shown && captured_something(program))
		report_summary(&o->capture.presets, program->capture, program->sinks, program->count);
	if (o->stats_file &&
	    report_stats(o, program->capture, program->source, program->sinks, outcome, &why))
		/* Nor is the exit status: a script would throw a perfect copy away. */
		message("%s; the capture itself is not concerned", why.text);
	report_in_memory(program);
	if (program->stop.signal && !program->hung && end_messages(program, exit_status(outcome)))
		signals_raise(program->stop.signal);
	return exit_status(outcome);
}

static int run_all(struct nsplit *program)
{
	struct memory_plan plan;
	struct error e;
	enum status status = prepare(program, &plan, &e);

	if (status) {
		message("%s", e.text);
		return status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	if (program->options.dry_run) {
		report_plan(stdout, &program->options, program->source, program->sinks, &plan);
		return program->without ? EXIT_FAILED : EXIT_PERFECT;
	}
	if (program->options.verbose)
		report_plan_as_message(&program->options, program->source, program->sinks, &plan);
	status = capture(program, &plan, &e);
	if (program->capture)
		return finish(program, status, &e);
	message("%s", e.text);
	return EXIT_FAILED;
}

static void free_all(struct nsplit *program)
{
	capture_free(program->capture);
	for (unsigned i = 0; program->sinks && i < program->count; i++)
		sink_free(&program->sinks[i]);
	free(program->sinks);
	source_close(program->source);
	if (program->signal_fd >= 0)
		close(program->signal_fd);
	nsplit_options_free(&program->options);
}

int main(int argc, char **argv)
{
	struct nsplit program = { .signal_fd = -1, .unreadable.limit = RANGES_LISTED };
	int status;

	message_open_standard();
	/* Before anything is printed, and before there is a parent that passes signals on. */
	signals_heeded(&program.heeded);
	signals_prepare();
	status = nsplit_options_read(&program.options, argc, argv);
	if (status == OPTIONS_READ && program.options.check_params) {
		status = nsplit_check(&program.options);
	} else if (status == OPTIONS_READ) {
		/* Where nothing is given up for hanging, nothing must be able to end without. */
		if (!program.options.dry_run && !program.options.capture.serial)
			program.parent = supervise();
		message_begin(!program.options.capture.serial);
		status = run_all(&program);
	}
	status = message_close_output(status);
	if (!program.hung && end_messages(&program, status))
		message_end();
	if (program.hung) {
		/* What the thread that hangs still uses stays as it is. */
		supervise_release(program.parent, status, program.stop.signal);
		if (program.stop.signal)
			signals_raise(program.stop.signal);
		_exit(status);
	}
	free_all(&program);
	return status;
}
