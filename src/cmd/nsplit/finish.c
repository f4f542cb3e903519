// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "base/signals.h"
#include "base/text.h"
#include "cmd/nsplit/digest.h"
#include "cmd/nsplit/dump.h"
#include "cmd/nsplit/finish.h"
#include "cmd/nsplit/probe.h"
#include "cmd/nsplit/report.h"
#include "cmd/nsplit/stats.h"

/*
 * A member without records after a failure; or, if the capture is perfect without it, the member of
 * an output that failed, which njoin would take for a damaged part.  In all other cases salvage may
 * need the file.
 */
static bool is_useless(const struct sink_stats *stats, enum status outcome)
{
	bool ended = outcome == STATUS_OK || outcome == STATUS_MISSING ||
		     outcome == STATUS_STOPPED;

	if (!stats->written && !stats->salvageable)
		return !ended || stats->state != SINK_TAKING;
	return outcome == STATUS_OK && stats->state == SINK_DEAD;
}

/* Reports errors of the last close.  False: data on the outputs may be incomplete. */
static bool report_closing(struct nsplit *nsplit)
{
	char size[SIZE_TEXT_LENGTH];
	bool safe = true;

	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats;

		capture_get_sink(nsplit->capture, i, &stats);
		nsplit->hung |= stats.hung;
		nsplit->may_hang |= stats.hung || stats.state == SINK_DEAD;
		if (stats.state == SINK_DEAD && stats.unfilled)
			message("%s: %s of missing pages could not be replaced by zeros, and hold what the device held before",
				nsplit->sinks[i].name, size_format(stats.unfilled, size));
		if (stats.closing.status == STATUS_OK || stats.state == SINK_DEAD)
			continue;
		/*
		 * The data was made safe before (sink_sync()) or is in the pipe.  The exception is
		 * a character device: the last close of a tape still writes.  Standard output may
		 * have another descriptor, so this close may not be its last.
		 */
		if (!S_ISCHR(nsplit->sinks[i].identity.type) || nsplit->sinks[i].is_stdout) {
			message("%s; only closing it failed, its data is safe",
				stats.closing.text);
			continue;
		}
		message("%s", stats.closing.text);
		safe = false;
	}
	return safe;
}

/* Of a dump in a form of its own: a core that changes, or that was cut before, such as a copy that is not complete. */
static enum status check_core(const struct nsplit *nsplit, struct error *e)
{
	const struct nsplit_dump *d = &nsplit->dump;

	if (!nsplit->options.capture.dump)
		return STATUS_OK;
	if (d->changed)
		return error_set(e, STATUS_MISSING, "%s: changed while it was captured, and there was no memory for a list "
				 "of all pages; up to %" PRIu64 " pages of %" PRIu32 " bytes are missing", nsplit->source->name,
				 (uint64_t)d->changed, d->pages.page_size);
	if (d->core.damage)
		return error_set(e, STATUS_MISSING, "%s: damaged: %s; what fits the rest of the core is used",
				 nsplit->source->name, d->core.damage);
	if (!d->pages.lost)
		return STATUS_OK;
	return error_set(e, STATUS_MISSING, "%s: cut short: it ends at byte %" PRIu64 ", but its segments at byte %"
			 PRIu64 "; missing: %" PRIu64 " page%s of %" PRIu32 " bytes", nsplit->source->name,
			 d->core.bytes.size, core_segments_end(&d->core), d->pages.lost, plural(d->pages.lost),
			 d->pages.page_size);
}

/*
 * Reports a stream that may be wrong although all of it was written.  A program that fails before it writes
 * leaves an empty stream, and its exit status is unknown here.  An empty file is perfect: its size
 * was known beforehand.
 */
static enum status check_written(const struct nsplit *nsplit, bool safe, struct error *e)
{
	if (!safe)
		return error_set(e, STATUS_MISSING, "data on the outputs may be incomplete");
	if (!nsplit->source->is_stream || nsplit->source->size)
		return check_core(nsplit, e);
	return error_set(e, STATUS_MISSING, "%s: ended without data, so the members are empty; "
			 "check the program that should have written to it",
			 nsplit->source->name);
}

/*
 * Removes useless files that nsplit created.  Those that stay are named, since someone who finds them
 * must know that nothing is missing without them.
 */
static void discard_useless(struct nsplit *nsplit, enum status outcome)
{
	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink *sink = &nsplit->sinks[i];
		bool existed = sink->kind == SINK_FILE && !sink->created;
		struct sink_stats stats;
		struct error why;

		capture_get_sink(nsplit->capture, i, &stats);
		if (!is_useless(&stats, outcome))
			continue;
		/* A call of an output that hangs may not return either, and its writer uses the sink. */
		if (stats.hung && sink->kind == SINK_FILE)
			message("%s: was not removed, because it does not answer; it is not needed",
				sink->name);
		else if (!stats.hung && sink_discard(sink, &why))
			message("%s; it is not needed", why.text);
		else if (existed && stats.written && !stats.hung)
			message("%s: was not removed, because it existed before; it is not needed",
				sink->name);
	}
}

static int exit_status(const struct nsplit *nsplit, enum status outcome)
{
	if (nsplit->all_or_failed && (outcome || !nsplit->options.capture.dump))
		return EXIT_FAILED;
	return outcome == STATUS_OK ? EXIT_PERFECT :
	       outcome == STATUS_MISSING ? EXIT_INCOMPLETE : EXIT_FAILED;
}

/* The members hold the source as it was when it was opened. */
static void report_growth(const struct nsplit *nsplit)
{
	uint64_t growth = source_growth(nsplit->source);

	if (growth)
		message("%s: grew by %" PRIu64 " byte%s during the capture; %s not contain them",
			nsplit->source->name, growth, plural(growth),
			nsplit->options.capture.dump ? "the dump does" : "the members do");
}

/* Members that a filter reported as stored, although no such file is here; and renamed ones. */
static void report_not_found(const struct nsplit *nsplit)
{
	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats;

		capture_get_sink(nsplit->capture, i, &stats);
		if (stats.state == SINK_ENDED && nsplit->sinks[i].output_not_found)
			message("%s: the command exited with status 0, but there is no file of this "
				"name on this machine; check that the member was stored",
				nsplit->sinks[i].name);
		else if (stats.state != SINK_DEAD && nsplit->sinks[i].moved)
			message("warning: %s: was renamed during the capture; its member is in the "
				"file with the new name", nsplit->sinks[i].name);
	}
}

/* Printed at the start, too; repeated here because the last lines are read. */
static void report_not_lasting(const struct nsplit *nsplit)
{
	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats;

		capture_get_sink(nsplit->capture, i, &stats);
		if (stats.records && stats.state != SINK_DEAD)
			nsplit_warn_not_lasting(&nsplit->options, &nsplit->sinks[i]);
	}
}

static bool has_captured(struct nsplit *nsplit)
{
	struct capture_progress p;

	capture_get_progress(nsplit->capture, &p);
	return p.member_bytes;
}

/* Is it worth saying how crash opens it?  Only a source that could be read until its end is looked at again. */
static bool may_be_core(const struct nsplit *nsplit, enum status outcome)
{
	return outcome || nsplit->source->is_stream || nsplit_count_headers(nsplit->source);
}

bool nsplit_settle_messages(struct nsplit *nsplit, int status)
{
	if (message_settle())
		return true;
	supervise_release(nsplit->parent, status, nsplit->stop.signal);
	nsplit->hung = true;
	return false;
}

/* Is there anything that njoin --salvage can read? */
static bool holds_records(struct nsplit *nsplit)
{
	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats;

		capture_get_sink(nsplit->capture, i, &stats);
		if (nsplit->sinks[i].kind != SINK_NULL &&
		    (stats.salvageable || (stats.records && stats.state != SINK_DEAD)))
			return true;
	}
	return false;
}

/*
 * Ctrl-C reaches all programs of a pipeline: the end of a stream may be where its writer was ended,
 * so that is never called complete.
 */
static void report_written(struct nsplit *nsplit, bool safe)
{
	struct error why;

	if (check_written(nsplit, safe, &why))
		message("%s", why.text);
	else if (nsplit->source->is_stream)
		message("all that the source delivered was captured, but the signal may have ended "
			"the program that wrote it");
	else if (capture_unreadable(nsplit->capture))
		message("the dump is complete, except for what could not be read");
	else
		message("the dump is complete: nothing was left to capture");
}

static const char missing_in_elf[] = "the dump is incomplete, and nothing in it says so; pages that are missing are zeros";

static void report_stopped(struct nsplit *nsplit, bool safe)
{
	struct error why;

	if (capture_changed(nsplit->capture, &why))
		message("%s", why.text);
	if (capture_written(nsplit->capture))
		report_written(nsplit, safe);
	else if (nsplit->options.capture.dump)
		message("%s", nsplit->options.capture.dump->elf ? missing_in_elf :
			"the dump is incomplete; what is in it can be read as it is");
	else if (holds_records(nsplit))
		message("the dump is incomplete; njoin --salvage restores what the members hold");
	else
		message("the dump is incomplete");
}

int nsplit_finish(struct nsplit *nsplit, enum status outcome, struct error *e)
{
	const struct nsplit_options *o = &nsplit->options;
	struct error why;
	bool safe;

	progress_end(&nsplit->progress);
	safe = report_closing(nsplit);
	if (nsplit->closed)
		nsplit->closed(nsplit->closed_arg, nsplit);
	if (outcome == STATUS_OK)
		outcome = check_written(nsplit, safe, e);
	/* Before the parent may end, since this takes long, and does not hang. */
	if (outcome == STATUS_OK || outcome == STATUS_MISSING || outcome == STATUS_STOPPED)
		nsplit_digest_outputs(nsplit);
	/* Any call below may hang. */
	if (nsplit->may_hang)
		supervise_release(nsplit->parent, exit_status(nsplit, outcome), nsplit->stop.signal);
	discard_useless(nsplit, outcome);
	report_growth(nsplit);
	report_not_found(nsplit);
	if (outcome != STATUS_OK && outcome != STATUS_STOPPED)
		message("%s", e->text);
	if ((outcome == STATUS_MISSING || outcome == STATUS_STOPPED) &&
	    capture_closed_any(nsplit->capture))
		report_missing(nsplit->capture, nsplit->source, !o->capture.dump || !o->capture.dump->elf);
	if (outcome == STATUS_STOPPED)
		report_stopped(nsplit, safe);
	else if (outcome == STATUS_MISSING && o->capture.dump && o->capture.dump->elf)
		message("%s", missing_in_elf);
	if (nsplit->progress.shown && has_captured(nsplit))
		report_summary(&o->capture.presets, nsplit->capture, nsplit->sinks, nsplit->digests, nsplit->count);
	if (nsplit->progress.shown && has_captured(nsplit) && outcome != STATUS_STOPPED && may_be_core(nsplit, outcome))
		report_next_step(nsplit);
	if (o->stats_file &&
	    nsplit_stats_write(o, nsplit->capture, &nsplit->layers, nsplit->source, nsplit->sinks,
			       nsplit->digests, outcome, &why))
		/* The exit status stays: a script might discard a perfect copy. */
		message("%s; the capture is not affected", why.text);
	report_kept_after_all(nsplit->capture);
	report_not_lasting(nsplit);
	if (nsplit->stop.signal && !nsplit->hung &&
	    nsplit_settle_messages(nsplit, exit_status(nsplit, outcome)))
		signals_raise(nsplit->stop.signal);
	return exit_status(nsplit, outcome);
}
