// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "cmd/nsplit/digest.h"
#include "io/existing.h"

/* Bytes that are read at once, and the stack of the thread that reads them. */
enum { READ_BYTES = 1 << 20, READ_STACK = 128 * 1024 };

/*
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

	digest_format(r->sum, text);
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

void nsplit_digest_outputs(struct nsplit *nsplit)
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
