// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/signals.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "cmd/nsplit/dump.h"
#include "cmd/nsplit/finish.h"
#include "cmd/nsplit/probe.h"
#include "cmd/nsplit/report.h"
#include "io/existing.h"

/* Bytes that are read at once, and the stack of the thread that reads them. */
enum { READ_BYTES = 1 << 20, READ_STACK = 128 * 1024 };

/* --- --digest ------------------------------------------------------------------ */

/*
 * The engine has the digests of members and of streams, whose bytes passed in order; a dump in a file or on a device is
 * read back, since its first bytes were written last.
 *
 * One thread reads, and writes the file of the digest; the main thread watches it, since a disk may stop answering: a
 * call that takes too long is abandoned as in the capture, and this is never freed then.
 */
struct reading_back {
	struct nsplit *nsplit;		/* the watching thread's own */
	struct sink *sink;		/* borrowed, and closed */
	uint64_t length;
	struct thread_pool pool;
	uint8_t *buffer;		/* owned */
	bool watched;			/* there is a thread that watches */
	/* The reader's own until it has ended: */
	struct digest digest;
	enum status status;
	struct error error;
	uint8_t sum[DIGEST_LENGTH];	/* if status is STATUS_OK */
	enum status unwritten;		/* of the file of the digest */
	struct error why;
	atomic_ullong done;		/* bytes; the reader counts them */
	atomic_int signal;		/* the watching thread sets it: stop */
	uint64_t seen;			/* the watching thread's own: done, */
	double since;			/* and when that changed */
	bool hung;
};

static void handle_signals(struct reading_back *r)
{
	struct nsplit *nsplit = r->nsplit;
	char done[SIZE_TEXT_LENGTH], all[SIZE_TEXT_LENGTH];
	enum request request;

	while ((request = signals_next(nsplit->signal_fd, &nsplit->stop))) {
		if (request == REQUEST_REPORT)
			message("%s: %s of %s read back", r->sink->name, size_format(r->done, done),
				size_format(r->length, all));
		else if (request == REQUEST_STOP_NOW && !nsplit->parent)
			signals_raise(nsplit->stop.latest);
		else
			r->signal = nsplit->stop.signal;
	}
}

static void tick(void *arg)
{
	struct reading_back *r = arg;
	double now = clock_seconds(), most = r->nsplit->options.capture.sink_timeout;

	handle_signals(r);
	if (r->done != r->seen) {
		r->seen = r->done;
		r->since = now;
	}
	if (r->hung || !most || now - r->since < most)
		return;
	r->hung = true;
	thread_pool_abandon(&r->pool, 0);
}

static enum status read_some(struct reading_back *r, uint64_t at, size_t len)
{
	int signal = r->signal;

	if (signal)
		return error_set(&r->error, STATUS_STOPPED, "%s: %s: it is not read back", r->sink->name,
				 strsignal(signal));
	if (sink_read(r->sink, r->buffer, len, at, &r->error))
		return r->error.status;
	digest_add(&r->digest, r->buffer, len);
	return STATUS_OK;
}

static void read_all(struct reading_back *r)
{
	size_t len;

	digest_begin(&r->digest);
	for (uint64_t at = 0; at < r->length && !r->status; at += len) {
		len = min_u64(READ_BYTES, r->length - at);
		r->status = read_some(r, at, len);
		r->done = at + len;
		if (!r->watched)
			handle_signals(r);
	}
}

static void work(void *arg, unsigned number)
{
	struct reading_back *r = arg;
	bool has_file = r->sink->kind == SINK_FILE;

	(void)number;
	read_all(r);
	if (r->status)
		return;
	digest_get(&r->digest, r->sum);
	if (has_file)
		r->unwritten = digest_file_write(r->sink->name, r->sum, &r->why);
}

static void run(struct reading_back *r)
{
	const struct watch watch = { .fd = r->nsplit->signal_fd, .interval = 0.5, .tick = tick, .arg = r };
	struct error ignored;

	r->pool = (struct thread_pool){ .count = 1, .stack = READ_STACK, .work = work, .arg = r };
	r->since = clock_seconds();
	r->watched = !r->nsplit->options.capture.serial;
	if (r->watched && !thread_pool_run(&r->pool, &watch, &ignored))
		return;
	r->watched = false;
	work(r, 0);
}

/* The text has to be somewhere if there is no file for it. */
static void report_unwritten(const struct reading_back *r)
{
	char text[DIGEST_TEXT_LENGTH + 1];

	hex_format(r->sum, DIGEST_LENGTH, text);
	message("%s; the SHA-256 of %s is %s", r->why.text, r->sink->name, text);
}

static void finish(struct reading_back *r, struct nsplit_digest *digest)
{
	if (r->hung) {
		r->nsplit->hung = true;
		message("%s: does not answer while its digest is made, which is unknown; the dump is not affected",
			r->sink->name);
		return;
	}
	digest->known = !r->status;
	if (r->status)
		message("%s; its digest is unknown, the dump is not affected", r->error.text);
	else
		memcpy(digest->sum, r->sum, DIGEST_LENGTH);
	if (r->unwritten)
		report_unwritten(r);
	free(r->buffer);
	free(r);
}

static void digest_dump(struct nsplit *nsplit, struct sink *sink, struct nsplit_digest *digest)
{
	struct reading_back *r = calloc(1, sizeof(*r));
	char size[SIZE_TEXT_LENGTH];

	if (r)
		r->buffer = malloc(READ_BYTES);
	if (!r || !r->buffer) {
		free(r);
		message("%s: there is no memory for its digest; the dump is not affected", sink->name);
		return;
	}
	if (nsplit->progress.shown)
		message("%s: reading %s back for its digest", sink->name, size_format(sink->length, size));
	r->nsplit = nsplit;
	r->sink = sink;
	r->length = sink->length;
	r->signal = nsplit->stop.signal;
	run(r);
	finish(r, digest);
}

static void digest_output(struct nsplit *nsplit, unsigned i)
{
	struct nsplit_digest *digest = &nsplit->digests[i];
	struct sink *sink = &nsplit->sinks[i];
	bool dump = nsplit->options.capture.dump;
	struct sink_stats stats;

	capture_get_sink(nsplit->capture, i, &stats);
	if (stats.state == SINK_DEAD || stats.state == SINK_RESERVED || stats.hung)
		return;
	digest->is_root = !dump;
	if (stats.digested) {
		digest->known = true;
		memcpy(digest->sum, stats.digest, DIGEST_LENGTH);
	} else if (dump && sink_rewinds(sink) && sink->length) {
		digest_dump(nsplit, sink, digest);
	}
}

static void digest_outputs(struct nsplit *nsplit)
{
	if (!nsplit->options.capture.digest)
		return;
	nsplit->digests = calloc(nsplit->count, sizeof(*nsplit->digests));
	if (!nsplit->digests) {
		message("there is no memory for digests; they are unknown, the capture is not affected");
		return;
	}
	for (unsigned i = 0; i < nsplit->count; i++)
		digest_output(nsplit, i);
}

/* --- the end of the capture ------------------------------------------------------ */

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

/* Printed at the start, too; repeated here because the last lines are read.  A command is not looked at again. */
static void report_not_lasting(const struct nsplit *nsplit)
{
	for (unsigned i = 0; i < nsplit->count; i++) {
		const struct sink *sink = &nsplit->sinks[i];
		struct sink_stats stats;

		capture_get_sink(nsplit->capture, i, &stats);
		if (stats.records && stats.state != SINK_DEAD && (sink->kind != SINK_COMMAND || *sink->name != '|'))
			nsplit_warn_not_lasting(&nsplit->options, sink);
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
		digest_outputs(nsplit);
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
		report_summary(nsplit);
	if (nsplit->progress.shown && has_captured(nsplit) && outcome != STATUS_STOPPED && may_be_core(nsplit, outcome))
		report_next_step(nsplit);
	if (o->stats_file && nsplit_stats_write(nsplit, outcome, &why))
		/* The exit status stays: a script might discard a perfect copy. */
		message("%s; the capture is not affected", why.text);
	report_kept_after_all(nsplit->capture);
	report_not_lasting(nsplit);
	if (nsplit->stop.signal && !nsplit->hung &&
	    nsplit_settle_messages(nsplit, exit_status(nsplit, outcome)))
		signals_raise(nsplit->stop.signal);
	return exit_status(nsplit, outcome);
}
