// SPDX-License-Identifier: GPL-2.0-or-later
/* The steps after the capture: digests, messages, files that are removed, the exit status. */
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
#include "cmd/nsplit/nsplit.h"
#include "cmd/nsplit/probe.h"
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
	struct thread_pool pool;
	uint8_t *buffer;		/* owned */
	/* The reader's own until it has ended: */
	struct digest digest;
	struct error error;		/* STATUS_OK: there is a sum */
	uint8_t sum[DIGEST_LENGTH];
	struct error unwritten;		/* the file of the digest */
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
				size_format(r->sink->length, all));
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

static void work(void *arg, unsigned number)
{
	struct reading_back *r = arg;
	uint64_t length = r->sink->length;
	size_t len;

	(void)number;
	digest_begin(&r->digest);
	for (uint64_t at = 0; at < length && !r->error.status; at += len) {
		int signal = r->signal;

		len = min_u64(READ_BYTES, length - at);
		if (signal)
			error_set(&r->error, STATUS_STOPPED, "%s: %s: it is not read back", r->sink->name, strsignal(signal));
		else if (!sink_read(r->sink, r->buffer, len, at, &r->error))
			digest_add(&r->digest, r->buffer, len);
		r->done = at + len;
	}
	if (r->error.status)
		return;
	digest_get(&r->digest, r->sum);
	if (r->sink->kind == SINK_FILE)
		digest_file_write(r->sink->name, r->sum, &r->unwritten);
}

static void run(struct reading_back *r)
{
	const struct watch watch = { .fd = r->nsplit->signal_fd, .interval = 0.5, .tick = tick, .arg = r };

	r->pool = (struct thread_pool){ .count = 1, .stack = READ_STACK, .work = work, .arg = r };
	r->since = clock_seconds();
	if (thread_pool_run(&r->pool, &watch, &r->error))
		error_prefix(&r->error, "%s: ", r->sink->name);
}

static void finish(struct reading_back *r, char digest[DIGEST_TEXT_LENGTH + 1])
{
	if (r->hung) {
		r->nsplit->hung = true;
		message("%s: does not answer while its digest is made, which is unknown; the dump is not affected",
			r->sink->name);
		return;
	}
	if (r->error.status)
		message("%s; its digest is unknown, the dump is not affected", r->error.text);
	else
		hex_format(r->sum, DIGEST_LENGTH, digest);
	/* The text has to be somewhere if there is no file for it. */
	if (r->unwritten.status)
		message("%s; the SHA-256 of %s is %s", r->unwritten.text, r->sink->name, digest);
	free(r->buffer);
	free(r);
}

static void digest_dump(struct nsplit *nsplit, struct sink *sink, char digest[DIGEST_TEXT_LENGTH + 1])
{
	struct reading_back *r = calloc(1, sizeof(*r));
	char size[SIZE_TEXT_LENGTH];

	if (r)
		r->buffer = malloc(READ_BYTES);
	if (!r || !r->buffer) {
		free(r);
		message("%s: not enough memory for its digest; the dump is not affected", sink->name);
		return;
	}
	if (nsplit->progress.shown)
		message("%s: reading %s back for its digest", sink->name, size_format(sink->length, size));
	r->nsplit = nsplit;
	r->sink = sink;
	r->signal = nsplit->stop.signal;
	run(r);
	finish(r, digest);
}

static void digest_output(struct nsplit *nsplit, unsigned i)
{
	struct sink *sink = &nsplit->sinks[i];
	struct sink_stats stats = capture_get_sink(nsplit->capture, i);

	if (stats.state == SINK_DEAD || stats.state == SINK_RESERVED || stats.hung)
		return;
	if (stats.digested)
		hex_format(stats.digest, DIGEST_LENGTH, nsplit->digests[i]);
	else if (nsplit->options.capture.dump && sink_rewinds(sink) && sink->length)
		digest_dump(nsplit, sink, nsplit->digests[i]);
}

static void digest_outputs(struct nsplit *nsplit)
{
	if (!nsplit->options.capture.digest)
		return;
	nsplit->digests = calloc(nsplit->count, sizeof(*nsplit->digests));
	if (!nsplit->digests) {
		message("not enough memory for digests; they are unknown, the capture is not affected");
		return;
	}
	for (unsigned i = 0; i < nsplit->count; i++)
		digest_output(nsplit, i);
}

/* --- the summary ---------------------------------------------------------------- */

enum { NEXT_STEP_LENGTH = 400, NEXT_STEP_REST = 60 };

static void report_sink(const struct sink *sink, const struct sink_stats *stats,
			uint64_t member_bytes)
{
	char size[SIZE_TEXT_LENGTH], speed[SIZE_TEXT_LENGTH];
	double share = member_bytes ? (double)stats->member_bytes / (double)member_bytes : 0;

	if (stats->state == SINK_DEAD) {
		message("  %s: failed, not counted", sink->name);
		return;
	}
	if (stats->state == SINK_RESERVED) {
		message("  %s: fallback, not needed", sink->name);
		return;
	}
	/* Not "null::". */
	message("  %s: %s, %.0f %%, %s/s%s%s", sink->kind == SINK_NULL ? "null" : sink->name,
		size_format(stats->member_bytes, size),
		100 * share,
		rate_format(stats->member_bytes, stats->seconds, speed),
		stats->state == SINK_FULL && !stats->limited ? ", full" : "",
		sink->kind == SINK_NULL || identity_keeps_nothing(&sink->identity) ? ", not stored" : "");
}

/* With -C auto: which presets compressed how much of what is stored. */
static void report_presets(const struct presets *presets, const struct capture_progress *p)
{
	char list[PRESETS_MAX * (PRESET_TEXT_LENGTH + 16)] = "", name[PRESET_TEXT_LENGTH];

	if (presets->count == 1 || !p->stored_bytes)
		return;
	for (unsigned i = 0; i < presets->count; i++)
		if (p->presets[i])
			text_append(list, sizeof(list), "%s%s %.0f %%", *list ? ", " : "",
				    preset_format(&presets->list[i], name),
				    100 * (double)p->presets[i] / (double)p->stored_bytes);
	message("  chosen: %s", list);
}

/* With layers: how much of the source was kept, and how much was left out. */
static void report_classes(const struct capture_progress *p, bool deadly)
{
	uint64_t missing = capture_missing_bytes(p), known = 0;
	char text[CLASS_AMOUNTS_LENGTH], size[SIZE_TEXT_LENGTH];
	struct class_amounts amounts;

	if (!p->layers)
		return;
	amounts = capture_class_amounts(p);
	if (amounts.second)
		message("  second places: %s that the source has twice, counted once", size_format(amounts.second, size));
	/* With one layer, classes are not looked for. */
	if (p->layers == 1)
		return;
	class_amounts_format(amounts.kept, 0, text);
	message("  kept: %s", text);
	if (class_amounts_format(amounts.left_out, 0, text))
		message("  left out: %s", text);
	if (deadly && amounts.left_out[CLASS_OFFLINE] + amounts.left_out[CLASS_POISONED])
		message("%s%s%s pages were not read, since that may stop the machine (nsplit --read-all reads them)",
			amounts.left_out[CLASS_OFFLINE] ? "offline" : "",
			amounts.left_out[CLASS_OFFLINE] && amounts.left_out[CLASS_POISONED] ? " and " : "",
			amounts.left_out[CLASS_POISONED] ? "poisoned" : "");
	for (unsigned i = 0; i < CLASSES; i++)
		known += amounts.missing[i];
	/* Pages that were not read have no class yet. */
	if (class_amounts_format(amounts.missing, missing - min_u64(known, missing), text))
		message("  missing by class: %s", text);
}

/* The last lines are read. */
static void report_kept_after_all(struct capture *c)
{
	struct capture_progress p = capture_get_progress(c);

	if (p.kept_because[0] && !capture_missing_bytes(&p))
		message("warning: pages that were to be left out were captured after all: %s",
			p.kept_because);
	else if (p.kept_because[0])
		message("warning: pages that were to be left out are missing unless they were captured: %s",
			p.kept_because);
}

/* For the shell.  False: there is no room for it. */
static bool append_word(char text[NEXT_STEP_LENGTH], const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._+-:@%,";
	bool is_plain = !word[strspn(word, plain)];

	/* "'\\''" for each character, and what follows. */
	if (strlen(text) + 4 * strlen(word) + NEXT_STEP_REST > NEXT_STEP_LENGTH)
		return false;
	text_append(text, NEXT_STEP_LENGTH, "%s", is_plain ? " " : " '");
	for (; *word; word++)
		text_append(text, NEXT_STEP_LENGTH, "%s%c%s", *word == '\'' ? "'\\" : "", *word,
			    *word == '\'' ? "'" : "");
	text_append(text, NEXT_STEP_LENGTH, "%s", is_plain ? "" : "'");
	return true;
}

/* All files and devices that hold something.  False: others do, too many, or none, or kdump's scripts rename one. */
static bool append_stored(const struct nsplit *nsplit, char text[NEXT_STEP_LENGTH])
{
	bool any = false;

	for (unsigned i = 0; i < nsplit->count; i++) {
		const struct sink *sink = &nsplit->sinks[i];
		struct sink_stats stats = capture_get_sink(nsplit->capture, i);

		if (!stats.records || stats.state == SINK_DEAD)
			continue;
		if ((sink->kind != SINK_FILE && sink->kind != SINK_BLOCK_DEVICE) || sink->moved ||
		    strstr(sink->name, "-incomplete") || !append_word(text, sink->name))
			return false;
		any = true;
	}
	return any;
}

/* How to open what was captured. */
static void report_next_step(const struct nsplit *nsplit)
{
	const struct nsplit_options *o = &nsplit->options;
	bool dump = o->capture.dump, discarded = nsplit->sinks->kind == SINK_NULL;
	char names[NEXT_STEP_LENGTH] = "";
	bool stored = append_stored(nsplit, names);

	/* Under the name makedumpfile, the reader of the dump is known; a filter may have stored anything. */
	if (nsplit->all_or_failed || o->drill || o->filter || discarded || (dump && !stored))
		return;
	if (dump)
		message("to open it: crash VMLINUX%s", names);
	else
		message("to open it: nsplit-mount%s DIR && crash VMLINUX DIR/vmcore.kdump", stored ? names : " MEMBER...");
}

/* The total, the presets that auto chose, a line for each sink, and how to open it. */
static void report_summary(const struct nsplit *nsplit, enum status outcome)
{
	char done[SIZE_TEXT_LENGTH], stored[SIZE_TEXT_LENGTH], written[SIZE_TEXT_LENGTH], speed[SIZE_TEXT_LENGTH];
	struct capture_progress p = capture_get_progress(nsplit->capture);

	if (!p.member_bytes)
		return;
	/* The ratio is that of the last two sizes; what was left out counts for the first only. */
	message("%s captured in %.2f s, %s/s; %s stored in %s, ratio %.2f",
		size_format(p.source_bytes, done), p.seconds,
		rate_format(p.source_bytes, p.seconds, speed),
		size_format(p.stored_bytes, stored),
		size_format(p.member_bytes, written),
		capture_ratio(&p));
	report_presets(&nsplit->options.capture.presets, &p);
	report_classes(&p, nsplit->source->made_by_kernel);
	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats = capture_get_sink(nsplit->capture, i);

		report_sink(&nsplit->sinks[i], &stats, p.member_bytes);
		if (nsplit->digests && *nsplit->digests[i])
			message("    %s %s", nsplit->options.capture.dump ? "SHA-256" : "root", nsplit->digests[i]);
	}
	/* Is it worth saying how crash opens it?  Only a source that could be read until its end is looked at again. */
	if (outcome != STATUS_STOPPED &&
	    (outcome || nsplit->source->is_stream || nsplit_count_headers(nsplit->source)))
		report_next_step(nsplit);
}

/*
 * The ranges that no output holds, by where they are in the source as it was opened.  With layers, they are of units that
 * a pass did not read: some of their pages may have been kept, or left out, and pages elsewhere may be missing since their
 * use has changed.  So only the sum is printed then, as at a limit.
 */
static void report_missing(struct capture *c, const struct source *source, bool listed)
{
	struct message_ranges ranges;
	uint64_t offset = 0, length, at;
	struct capture_progress p = capture_get_progress(c);
	bool total = p.limit || p.layers > 1;
	char text[SIZE_TEXT_LENGTH];

	message_ranges_begin(&ranges, total ? 0 : RANGES_LISTED);
	for (; capture_missing(c, &offset, &length); offset += length) {
		at = source_original(source, offset, &length);
		if (at != UINT64_MAX)
			message_range(&ranges, at, length);
	}
	if (!total)
		message_ranges_end(&ranges);
	if (!ranges.list.count)
		return;
	if (p.layers)
		message("missing: %s in total; complete layers: %u%s", size_format(capture_missing_bytes(&p), text),
			p.whole, listed ? "; njoin --verify lists the pages" : "");
	else
		message("missing: %s in total", size_format(ranges.bytes, text));
}

/* --- what there is of a capture that has ended early ------------------------------- */

enum { SAVED_LENGTH = CLASSES * 48 };

/* "40 % of the source": rounded down. */
static void append_share(char text[SAVED_LENGTH], uint64_t part, uint64_t whole, const char *of)
{
	unsigned share = (unsigned)(part ? 100.0 * (double)part / (double)whole : 0);

	text_append(text, SAVED_LENGTH, "%s%u %% of the %s", share ? "" : "less than ", share ? share : 1, of);
}

/* "all kernel pages", "40 % of the memory map" */
static void append_class(char text[SAVED_LENGTH], unsigned class, uint64_t kept, uint64_t missing)
{
	const char *name = class == CLASS_MAP ? "memory map" : layer_class_name(class);

	text_append(text, SAVED_LENGTH, "%s", *text ? ", " : "");
	if (missing)
		append_share(text, kept, kept + missing, name);
	else
		text_append(text, SAVED_LENGTH, "%s %s", class == CLASS_MAP ? "the" : "all", name);
	text_append(text, SAVED_LENGTH, "%s", class == CLASS_MAP ? "" : " pages");
}

/* The classes that are there, in the order of layers; text is not empty. */
static void format_classes(const struct capture_progress *p, char text[SAVED_LENGTH])
{
	struct class_amounts amounts = capture_class_amounts(p);
	char *last = NULL;

	*text = '\0';
	for (unsigned layer = 1; layer <= p->layers; layer++)
		for (unsigned i = 0; i < CLASSES; i++)
			if (class_layer(&p->classes, i) == layer && i != CLASS_FIRST && amounts.kept[i]) {
				last = text + strlen(text);
				append_class(text, i, amounts.kept[i], amounts.missing[i]);
			}
	if (last > text) {
		/* "a, b, c" becomes "a, b and c". */
		memmove(last + strlen(" and "), last + strlen(", "), strlen(last + strlen(", ")) + 1);
		memcpy(last, " and ", strlen(" and "));
	}
}

/* Why nothing more was captured.  False: an output would have taken more. */
static bool explain_end(const struct nsplit *nsplit, enum status outcome, enum capture_limit limit, struct error *why)
{
	unsigned full = 0;

	if (nsplit->dump.dropped && !limit)
		return capture_limit_error(&nsplit->options.capture.limits, LIMIT_SIZE, why);
	if (outcome == STATUS_STOPPED)
		return error_set(why, outcome, "ended by signal %d (%s)", nsplit->stop.signal, strsignal(nsplit->stop.signal));
	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats = capture_get_sink(nsplit->capture, i);

		if (stats.state == SINK_TAKING || (stats.state == SINK_ENDED && !limit))
			return false;
		full += stats.state == SINK_FULL;
	}
	if (limit)
		return capture_limit_error(&nsplit->options.capture.limits, limit, why);
	return error_set(why, outcome, full ? "no output has space left" : "no output is left");
}

/*
 * "saved: all kernel pages, the memory map and 40 % of the anonymous pages; the limit of 20.0 GiB is reached".  False: it
 * is not so, and *e stays.
 */
static bool describe_saved(const struct nsplit *nsplit, enum status outcome, struct error *e)
{
	char saved[SAVED_LENGTH] = "", size[SIZE_TEXT_LENGTH];
	uint64_t offset = 0, length, done;
	struct capture_progress p = capture_get_progress(nsplit->capture);
	struct error why;

	if (!p.stored_bytes || !(nsplit->dump.dropped || capture_missing(nsplit->capture, &offset, &length)) ||
	    !explain_end(nsplit, outcome, p.limit, &why))
		return false;
	done = p.layers > 1 ? p.figures.unreadable : p.source_bytes;
	for (unsigned i = 0; p.layers > 1 && i < CLASSES; i++)
		done += p.figures.first[i] + p.figures.named[i];
	if (p.source_size == SOURCE_SIZE_UNKNOWN)
		snprintf(saved, sizeof(saved), "%s of the source, of which %" PRIu64 " bytes were read", size_format(done, size),
			 nsplit->source->size);
	else if (p.layers > 1 && p.whole)
		format_classes(&p, saved);
	else
		append_share(saved, done, p.source_size, p.layers > 1 ? "memory" : "source");
	/* If the map is in layer 1, all classes are. */
	error_set(e, outcome, "saved: %s%s%s; %s", !p.whole && p.figures.later[CLASS_FIRST] ? "the kernel's log, data and stacks, and " : "",
		  p.layers > 1 && !p.whole && class_layer(&p.classes, CLASS_MAP) > 1 ? "the kernel pages in " : "", saved,
		  why.text);
	return true;
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
		return !ended || (stats->state != SINK_TAKING && !stats->limited);
	return outcome == STATUS_OK && stats->state == SINK_DEAD;
}

/* Reports errors of the last close.  False: data on the outputs may be incomplete. */
static bool report_closing(struct nsplit *nsplit)
{
	char size[SIZE_TEXT_LENGTH];
	bool safe = true;

	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats = capture_get_sink(nsplit->capture, i);

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
	if (d->dropped)
		return capture_limit_error(&nsplit->options.capture.limits, LIMIT_SIZE, e);
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
		struct sink_stats stats = capture_get_sink(nsplit->capture, i);
		struct error why;

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
		struct sink_stats stats = capture_get_sink(nsplit->capture, i);

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
		struct sink_stats stats = capture_get_sink(nsplit->capture, i);

		if (stats.records && stats.state != SINK_DEAD && (sink->kind != SINK_COMMAND || *sink->name != '|'))
			nsplit_warn_not_lasting(&nsplit->options, sink);
	}
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
		struct sink_stats stats = capture_get_sink(nsplit->capture, i);

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
	if (((outcome == STATUS_MISSING || outcome == STATUS_STOPPED) && describe_saved(nsplit, outcome, e)) ||
	    (outcome != STATUS_OK && outcome != STATUS_STOPPED))
		message("%s", e->text);
	if ((outcome == STATUS_MISSING || outcome == STATUS_STOPPED) &&
	    capture_closed_any(nsplit->capture))
		report_missing(nsplit->capture, nsplit->source, !o->capture.dump || !o->capture.dump->elf);
	if (outcome == STATUS_STOPPED)
		report_stopped(nsplit, safe);
	else if (outcome == STATUS_MISSING && o->capture.dump && o->capture.dump->elf)
		message("%s", missing_in_elf);
	if (nsplit->progress.shown)
		report_summary(nsplit, outcome);
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
