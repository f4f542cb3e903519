// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "capture/memory/memory_fit.h"
#include "cmd/nsplit/capture.h"
#include "cmd/nsplit/dump.h"

/* By their states now: an output that is full may still be lost. */
static void count_outputs(struct nsplit *nsplit, struct progress_figures *figures)
{
	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats;

		capture_get_sink(nsplit->capture, i, &stats);
		figures->failed += stats.state == SINK_DEAD;
		figures->full += stats.state == SINK_FULL;
	}
}

static void write_stage(const struct nsplit *nsplit, const struct capture_progress *p,
			char stage[PROGRESS_STAGE_LENGTH])
{
	if (p->syncing)
		snprintf(stage, PROGRESS_STAGE_LENGTH, "syncing %u output%s", p->syncing,
			 plural(p->syncing));
	else if (p->ending)
		snprintf(stage, PROGRESS_STAGE_LENGTH, "waiting for %u command%s", p->ending,
			 plural(p->ending));
	else if (nsplit->stop.signal)
		snprintf(stage, PROGRESS_STAGE_LENGTH, "stopping");
}

static void current_figures(struct nsplit *nsplit, struct progress_figures *figures)
{
	struct capture_progress p;

	capture_get_progress(nsplit->capture, &p);
	*figures = (struct progress_figures){
		.done = p.source_bytes,
		.total = p.source_size,
		.moved = p.member_bytes,
		.verb = "written",
		.ratio = capture_ratio(&p),
		.seconds = p.seconds,
	};
	write_stage(nsplit, &p, figures->stage);
	count_outputs(nsplit, figures);
}

/*
 * A call of fsync() cannot be interrupted, and without it the members have no footers; and only the
 * exit status of a command says whether it stored its input.  So the first request waits for them,
 * like those that come earlier; only the second one ends the process.
 */
static void report_stopping(const struct nsplit *nsplit, const struct capture_progress *p)
{
	const char *signal = strsignal(nsplit->stop.signal);

	if (p->syncing)
		message("%s: waiting for %u output%s to be synced; a second signal ends this at once",
			signal, p->syncing, plural(p->syncing));
	else if (p->ending)
		message("%s: waiting for %u command%s to end; a second signal ends this at once",
			signal, p->ending, plural(p->ending));
	else
		message("%s: closing the %s", signal, nsplit->options.capture.dump ? "dump" : "members");
}

static void on_request(struct nsplit *nsplit, enum request request)
{
	struct progress_figures figures;
	struct capture_progress progress;

	if (request == REQUEST_REPORT) {
		current_figures(nsplit, &figures);
		progress_now(&figures);
		return;
	}
	if (request == REQUEST_STOP_NOW) {
		/* A parent that receives two requests kills this process. */
		if (!nsplit->parent)
			signals_raise(nsplit->stop.latest);
		return;
	}
	capture_get_progress(nsplit->capture, &progress);
	/* Before the message, since standard error may be slow or stopped. */
	capture_stop(nsplit->capture);
	report_stopping(nsplit, &progress);
}

static void tick(void *arg)
{
	struct nsplit *nsplit = arg;
	struct progress_figures figures;
	enum request request;

	while ((request = signals_next(nsplit->signal_fd, &nsplit->stop)))
		on_request(nsplit, request);
	current_figures(nsplit, &figures);
	progress_tick(&nsplit->progress, &figures);
}

static void sink_failed(void *arg, const struct sink_stats *stats, const struct sinks_left *left)
{
	/* An output that has finished counts, but accepts no chunks of the one that failed. */
	unsigned good = left->taking + left->ended;
	char kept[SIZE_TEXT_LENGTH + 16] = "given up", size[SIZE_TEXT_LENGTH];
	const struct nsplit *nsplit = arg;

	if (stats->state == SINK_FULL)
		snprintf(kept, sizeof(kept), "%s kept",
			 size_format(stats->records ? stats->member_bytes : 0, size));
	if (left->fallback)
		message("%s; %s, continuing on the fallback %s", stats->why.text, kept,
			left->fallback);
	else if (left->taking)
		message("%s; %s, continuing on %u output%s", stats->why.text, kept, good,
			plural(good));
	else if (left->ended)
		message("%s; %s, no other output accepts more", stats->why.text, kept);
	else if (nsplit->options.no_fallback)
		message("%s; %s", stats->why.text, kept);
	else if (stats->state == SINK_FULL && nsplit->options.capture.dump)
		message("%s; %s, no output is left; free some space, or use --fallback", stats->why.text, kept);
	else if (stats->state == SINK_FULL)
		message("%s; %s, no output is left; free some space, add outputs, or use --fallback",
			stats->why.text, kept);
	else
		message("%s; %s, no output is left", stats->why.text, kept);
}

/* Bytes of the source as it was opened. */
static void unreadable(void *arg, uint64_t offset, uint64_t length, const struct error *why)
{
	struct nsplit *nsplit = arg;
	uint64_t end = offset + length, at;

	for (; offset < end; offset += length) {
		enum message_entry entry;

		length = end - offset;
		at = source_original(nsplit->source, offset, &length);
		entry = at == UINT64_MAX ? ENTRY_OMITTED : message_list_next(&nsplit->unreadable);
		if (entry == ENTRY_LISTED)
			message("unreadable: bytes %" PRIu64 " to %" PRIu64 " (%s)", at, at + length - 1, why->text);
		else if (entry == ENTRY_FIRST_OMITTED)
			message("unreadable: further ranges are not listed; njoin -v lists all of them");
	}
}

static void fewer_threads(void *arg, unsigned wanted, unsigned workers, int errnum)
{
	(void)arg;
	if (workers)
		message("threads: only %u of %u workers could be created: %s; continuing with "
			"these", workers, wanted, strerror(errnum));
	else
		message("threads: no worker could be created: %s; continuing with one thread for "
			"everything", strerror(errnum));
}

/* The classes are named at the end, too: see report_kept_after_all(). */
static void saved_after_all(void *arg, const char *reason)
{
	(void)arg;
	message("pages that were to be left out are captured after all: %s", reason);
}

static void opens(void *arg, const struct sink *sink)
{
	const struct nsplit *nsplit = arg;

	if (!nsplit->options.quiet)
		message("%s: the kernel's pages are on the disk, and crash can open the dump from now on", sink->name);
}

/* According to the plan, or with less memory as long as the system refuses that much. */
static enum status make_with(struct nsplit *nsplit, struct memory_plan *plan, struct error *e)
{
	struct capture_settings *settings = &nsplit->options.capture;
	struct fit_note note = { .outcome = FIT_AS_WANTED };
	enum status status;

	do {
		nsplit_dump_set_codec(nsplit);
		status = capture_new(&nsplit->capture, settings, plan, nsplit->source,
				     nsplit->sinks, nsplit->count, e);
	} while (status == STATUS_NO_MEMORY &&
		 capture_fit_again(settings, nsplit->source, nsplit->sinks, nsplit->count, plan,
				   &note));
	if (!status && note.outcome != FIT_AS_WANTED)
		message("%s", note.text.text);
	return status;
}

/* Whatever fails with layers may succeed without them, and then with the settings that fitted at first. */
static enum status make_capture(struct nsplit *nsplit, struct memory_plan *plan, struct error *e)
{
	struct capture_settings *settings = &nsplit->options.capture, wanted = *settings;
	enum status status = make_with(nsplit, plan, e);

	if (!status || !settings->policy)
		return status;
	*settings = wanted;
	nsplit_dump_give_up(nsplit, e->text);
	status = capture_plan(settings, nsplit->source, nsplit->sinks, nsplit->count, plan, e);
	return status ? status : make_with(nsplit, plan, e);
}

enum status nsplit_capture(struct nsplit *nsplit, struct memory_plan *plan, struct error *e)
{
	struct capture_watch watch = {
		.watch = { .tick = tick, .arg = nsplit },
		.sink_failed = sink_failed,
		.unreadable = unreadable,
		.fewer_threads = fewer_threads,
		.saved_after_all = saved_after_all,
		.opens = opens,
	};
	enum status status;

	status = make_capture(nsplit, plan, e);
	if (status)
		return status;
	if (nsplit->writing)
		nsplit->writing(nsplit->writing_arg);
	capture_open(nsplit->capture, &watch);
	/* After that: a signal may end the program while a pipe waits for its reader. */
	status = signals_open(&nsplit->signal_fd, e);
	if (status)
		return status;
	progress_init(&nsplit->progress, nsplit->options.progress, nsplit->options.quiet);
	watch.watch.fd = nsplit->signal_fd;
	watch.watch.interval = progress_interval(&nsplit->progress);
	return capture_run(nsplit->capture, e);
}
