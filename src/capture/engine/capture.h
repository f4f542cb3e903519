// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The write side as its users see it: a source, some sinks, and the result. engine.h describes the
 * threads.
 */
#ifndef NSPLIT_CAPTURE_ENGINE_CAPTURE_H
#define NSPLIT_CAPTURE_ENGINE_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/thread_pool.h"
#include "capture/form/form.h"
#include "capture/memory/memory_plan.h"

/* The sinks that are left when one has failed. */
struct sinks_left {
	unsigned taking;		/* number of those that take chunks */
	unsigned ended;			/* number that have ended or are being ended */
	const char *fallback;		/* the fallback that takes over; NULL: none */
};

/* "the limit of 20.0 GiB is reached"; returns STATUS_MISSING. */
enum status capture_limit_error(const struct capture_limits *limits, enum capture_limit limit, struct error *e);

struct capture_watch {
	struct watch watch;		/* tick() is called by the thread that called capture_run() */
	/* Called with watch.arg by any thread, perhaps by several at once. */
	void (*sink_failed)(void *arg, const struct sink_stats *stats,
			    const struct sinks_left *left);
	void (*unreadable)(void *arg, uint64_t offset, uint64_t length,
			   const struct error *why);
	/*
	 * Called by the watching thread before any chunk is filled, if the system refuses threads:
	 * the numbers of workers wanted and created; 0 created: one thread takes all steps. May be
	 * NULL.
	 */
	void (*fewer_threads)(void *arg, unsigned wanted, unsigned workers, int errnum);
	/*
	 * With layers: classes that were to be left out are saved after all.  Called by any thread,
	 * unless the capture is being stopped.  May be NULL.
	 */
	void (*saved_after_all)(void *arg, const char *reason);
	/* Called once for an output, by its writer: other programs open what is there from now on.  May be NULL. */
	void (*opens)(void *arg, const struct sink *sink);
};

struct capture_progress {
	uint64_t source_size;		/* SOURCE_SIZE_UNKNOWN for a stream that has not ended */
	uint64_t source_bytes;		/* of the source, on sinks that count; or to be left out */
	uint64_t stored_bytes;		/* of the source, in the members; a second place stores nothing */
	uint64_t member_bytes;		/* written to hold these */
	uint64_t blocks[BLOCK_KINDS];
	uint64_t presets[PRESETS_MAX];	/* source_bytes by the preset that packed them */
	double seconds;			/* since the start */
	enum capture_limit limit;	/* the last one that was reached */
	/* After the last chunk; at most one of them is not 0: */
	unsigned syncing;		/* outputs that are not yet safe */
	unsigned ending;		/* commands that have yet to end */
	/* With layers, otherwise 0: their number, what is on sinks that count, the classes in force. */
	unsigned layers;
	unsigned whole;			/* how many layers, from the first on, are on sinks completely */
	struct layer_figures figures;
	uint64_t later_unreadable;
	uint64_t beside;		/* see struct dump_layout */
	struct class_table classes;
	char kept_because[REASON_TEXT_LENGTH + 1];	/* why some are saved after all; or empty */
};

/* Bytes of each class, without second places: what is in them counts where it is stored. */
struct class_amounts {
	uint64_t second;		/* in second places, of any class */
	uint64_t kept[CLASSES], left_out[CLASSES];
	/* Also what was not read, of classes that are not in the first layer. */
	uint64_t missing[CLASSES];
};

/* The compression ratio: stored_bytes for each of member_bytes; 0 if nothing was written. */
double capture_ratio(const struct capture_progress *p);

/* The amounts of each class, if all of the first layer is on usable sinks. */
struct class_amounts capture_class_amounts(const struct capture_progress *p);

/*
 * Bytes of a source with layers that are neither stored, nor unreadable, nor left out.  Those that layer
 * 1 has named, but of which it is not decided yet whether they are left out, are missing, too.
 */
uint64_t capture_missing_bytes(const struct capture_progress *p);

struct capture;

/*
 * Allocates all the memory that the capture will need.  Source and sinks (an array, probed and not
 * yet open) are borrowed and must outlive it.
 */
enum status capture_new(struct capture **capture, const struct capture_settings *settings,
			const struct memory_plan *plan, struct source *source,
			struct sink *sinks, unsigned count, struct error *e);
/* If a sink hangs (sink_stats.hung), nothing is freed: its call may still use any of it. */
void capture_free(struct capture *c);

/*
 * Opens the pipes and begins their members, one after another, in the order in which njoin reads
 * them.  This may wait for a reader, so it comes before anything that would have to be cleaned up
 * if the wait is interrupted.  Sinks that were lost when they were probed are reported, too.
 * capture_run() opens the other sinks.  A sink that cannot be opened is dead from the start and
 * reported to watch->sink_failed().
 */
void capture_open(struct capture *c, const struct capture_watch *watch);

/*
 * Captures, after capture_open().  Returns STATUS_OK: the copy is complete; STATUS_MISSING: data is
 * missing (capture_missing(), capture_unreadable()), or a stream could not be read to its end, or no
 * member could be closed but salvage will find records: *e says which; STATUS_STOPPED:
 * capture_stop() was called, and the members were closed; anything else: nothing was captured.
 */
enum status capture_run(struct capture *c, struct error *e);

/* Requests an early end.  Called from tick(). */
void capture_stop(struct capture *c);

/* These can be called at any time, by any thread. */
struct capture_progress capture_get_progress(struct capture *c);
struct sink_stats capture_get_sink(struct capture *c, unsigned sink);

/*
 * Does the member of any output count, or may it still come to count?  After the run: was any member closed that holds
 * something?  If not, it is not known what is missing.
 */
bool capture_closed_any(const struct capture *c);

/*
 * After the run: finds the next range of the source, from *offset on, that no sink holds.  False:
 * there is none.
 */
bool capture_missing(struct capture *c, uint64_t *offset, uint64_t *length);

/*
 * After the run: has all of the source been written, although capture_stop() may have been called?
 * What was unreadable counts as written.  Of a stream, it is all that came before its end, and the
 * signal that stopped the capture may have ended its writer, too.
 */
bool capture_written(struct capture *c);

/* After the run: could part of the source not be read, although the capture went on? */
bool capture_unreadable(struct capture *c);

/* Bytes of the source that nobody will find in the members, by their reason. */
struct capture_losses {
	uint64_t unreadable;
	uint64_t changed;		/* what capture_changed() is about */
	uint64_t missing;		/* the rest: outputs failed or were full, or the capture was stopped */
};

/* After the run. */
struct capture_losses capture_get_losses(struct capture *c);

/*
 * After the run, if nothing is missing according to capture_missing(): are there pages that no layer stores,
 * because their use has changed?  *e says how many bytes.  capture_run() has said it unless it was stopped.
 */
bool capture_changed(struct capture *c, struct error *e);

#endif
