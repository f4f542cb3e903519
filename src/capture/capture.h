// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The write side as its users see it: a source, some sinks, and what became of them.  How the
 * threads live together is told in engine.h.
 */
#ifndef NSPLIT_CAPTURE_CAPTURE_H
#define NSPLIT_CAPTURE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/thread_pool.h"
#include "capture/member_writer.h"
#include "capture/memory_plan.h"
#include "codec/presets.h"
#include "io/sink.h"
#include "io/source.h"

struct capture_settings {
	struct presets presets;
	const char *codec_text;		/* "zstd:3", "auto", for the superblock */
	const char *creator;		/* "nsplit 0.1.0", likewise */
	uint32_t block_size;
	uint32_t chunk_size;
	bool chunk_size_free;		/* capture_fit() may make it larger for a sparse source */
	unsigned threads;		/* workers, at least 1 */
	bool serial;			/* the twin without threads */
	bool stripe;			/* chunk k to sink k mod K, in order */
	uint64_t memory_limit;		/* bytes, 0: none */
	double sink_timeout;		/* seconds that a call of a sink may take; 0: for ever */
	unsigned fallbacks;		/* so many of the sinks, the last ones: see engine.h */
	struct capture_id id;
	int64_t fixed_time;		/* for reproducible members; -1: the clock's */
};

/* When one failed. */
struct sinks_left {
	unsigned taking;		/* take chunks */
	unsigned ended;			/* have ended, or are being ended, and so take no more */
	const char *fallback;		/* takes over, and is the only one that takes; NULL: none */
};

struct capture_watch {
	struct watch watch;		/* ticks in the thread that called capture_run() */
	/* Called with watch.arg, by any thread, several at once perhaps. */
	void (*sink_failed)(void *arg, const struct sink_stats *stats,
			    const struct sinks_left *left);
	void (*unreadable)(void *arg, uint64_t offset, uint64_t length,
			   const struct error *why);
	/*
	 * Called by the thread that watches, before any work, if the system refuses threads: the
	 * number of workers wanted, and created; 0: one thread captures, as the serial twin does.
	 * May be NULL.
	 */
	void (*fewer_threads)(void *arg, unsigned wanted, unsigned workers, int errnum);
};

struct capture_progress {
	uint64_t source_size;		/* SOURCE_SIZE_UNKNOWN for a stream that goes on */
	uint64_t source_bytes;		/* of it, on sinks that count */
	uint64_t member_bytes;		/* written for them */
	uint64_t blocks[BLOCK_KINDS];
	uint64_t presets[PRESETS_MAX];	/* source_bytes by the rung that packed them */
	double seconds;			/* since the start */
};

struct capture;

/*
 * Takes all the memory that the capture will need.  Source and sinks (an array, probed and not yet
 * open) stay the caller's and must outlive it.
 */
enum status capture_new(struct capture **capture, const struct capture_settings *settings,
			const struct memory_plan *plan, struct source *source,
			struct sink *sinks, unsigned count, struct error *e);
/* What a sink that hangs (sink_stats.hung) may still use stays until the program ends. */
void capture_free(struct capture *c);

/*
 * Opens the pipes and begins their members, one after another, as njoin reads them: that may wait
 * for a reader, and so comes before anything that somebody who gives up waiting would have to clear
 * away.  Sinks that were lost when they were probed are told of, too. capture_run() opens the
 * others.  One that cannot be had is dead from the start, and watch->sink_failed is told.
 */
void capture_open(struct capture *c, const struct capture_watch *watch);

/*
 * Captures.  capture_open() came before, with the same watch.  STATUS_OK: the copy is perfect.
 * STATUS_MISSING: it ended, and something is not there (capture_missing(), BLOCK_UNREADABLE, or a
 * stream that broke: e).  STATUS_STOPPED: after capture_stop(); the members are closed in order.
 * STATUS_MISSING as well: no member could be closed, but salvage will find records (e).  Anything
 * else: nothing was captured.
 */
enum status capture_run(struct capture *c, struct error *e);

/* Asks for an early end.  Called from tick(). */
void capture_stop(struct capture *c);

/* Any time, in any thread. */
void capture_get_progress(struct capture *c, struct capture_progress *progress);
void capture_get_sink(struct capture *c, unsigned sink, struct sink_stats *stats);

/*
 * After the run: is there a member that was closed and holds something?  Else it is unknown what is
 * missing.
 */
bool capture_closed_any(struct capture *c);

/*
 * After the run: the next range of the source from *offset on that no sink holds.  False: none.
 */
bool capture_missing(struct capture *c, uint64_t *offset, uint64_t *length);

#endif
