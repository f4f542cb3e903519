// SPDX-License-Identifier: GPL-2.0-or-later
/* What a capture is to do; the source and the sinks come with it. */
#ifndef NSPLIT_CAPTURE_SETTINGS_H
#define NSPLIT_CAPTURE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/runs.h"
#include "capture/form/dump_writer.h"
#include "codec/codec.h"
#include "format/superblock.h"
#include "io/sink.h"
#include "io/source.h"

/* --- the policy ------------------------------------------------------------ */

/*
 * Functions that a capture calls to learn about its source.  The capture knows no kernel: its caller passes these
 * functions (src/filter/ has them).  None of them fails, except start().
 */

/* Ranges of the source, whole granules: the urgent ones first, and both by offset. */
struct first_ranges {
	const struct range *list;	/* borrowed */
	size_t count, urgent;
};

struct layer_policy {
	/*
	 * Up to LAYERS_MAX.  The last one is for marked pages (format/format.h), and the one before it for others that are saved
	 * after all, unless there is only one, which leaves out nothing.
	 */
	unsigned layers;
	struct class_table plan;
	/*
	 * Bytes of a row of what the layer of CLASS_MAP stores, which is packed as columns (format/record.h); 0: it
	 * is packed like other layers.
	 */
	uint32_t map_row;
	/* Granules of CLASS_FIRST, which are captured before all others, are in these; none: there are none. */
	struct first_ranges first;
	/* Granules of CLASS_SECOND are in these.  Borrowed; NULL: none, or not known yet. */
	const struct second_places *second;
	/*
	 * Adds the classes, as enum layer_class, of the granules from offset on to an empty list: of a whole unit,
	 * except at the end of the source.  One call at a time for each worker.  NULL: all are CLASS_KERNEL,
	 * there is one layer, and each record is of one unit.
	 */
	void (*classify)(void *arg, unsigned worker, uint64_t offset, uint32_t granules, struct runs *classes);
	/*
	 * After all units were classified: decides about the classes that were planned to be left
	 * out.  Those that are to be saved after all are so in layer after_all, and marked ones in the next
	 * one.  Called once, by one worker; reason is empty at first.
	 */
	void (*judge)(void *arg, unsigned worker, unsigned after_all, struct class_table *classes,
		      char reason[REASON_TEXT_LENGTH + 1]);
	/*
	 * The capture is to stop: what takes long, such as judge(), should return soon.  Any thread; must
	 * not wait.  NULL: nothing takes long.
	 */
	void (*stop)(void *arg);
	/*
	 * Called before the others, with the number of workers and the size of units; again if there
	 * was no memory for a capture with these.  NULL: there is nothing to prepare.
	 */
	enum status (*start)(void *arg, unsigned workers, uint32_t unit_size, struct error *e);
	/*
	 * The last layer is of pages that may stop the machine when they are read: it begins when everything else is
	 * safe (writers.c).
	 */
	bool guarded;
	/* Bytes of memory that it takes besides, with units of this size.  NULL: none. */
	size_t (*memory)(void *arg, uint32_t unit_size);
	size_t worker_memory;		/* bytes that it takes for each worker */
	void *arg;
};

/* Of a capture of everything. */
const struct layer_policy *layer_policy_plain(void);

static inline bool layer_policy_is_plain(const struct layer_policy *policy)
{
	return !policy->classify;
}

/*
 * When a capture ends although there is more to capture, and is closed like one whose outputs are full.  0: there is no such
 * limit.
 */
struct capture_limits {
	uint64_t size;			/* bytes of all outputs together, without those that have failed */
	uint64_t keep_free;		/* bytes that stay free on the file system of each file; it alone is full then */
	uint64_t seconds;		/* from began on, until everything is closed */
	double began;			/* clock_seconds() */
};

enum capture_limit {
	LIMIT_NONE,
	LIMIT_SIZE,
	LIMIT_FREE,
	LIMIT_TIME,
};

struct capture_settings {
	struct presets presets;
	const char *codec_text;		/* "zstd:3", "auto"; for the superblock */
	const char *creator;		/* "nsplit 1.0.0", likewise */
	uint32_t block_size;
	uint32_t chunk_size;
	unsigned threads;		/* workers, at least 1 */
	bool serial;			/* one thread takes all steps */
	bool digest;			/* for each output: see struct sink_stats; only if digest_supported() */
	bool stripe;			/* chunk k goes to sink k mod K, in order */
	double cautious;		/* any read may stop the machine: seconds after which what is written is made safe; 0: not so */
	uint64_t memory_limit;		/* bytes, 0: none */
	/* Program headers of the source that the caller and the policy know, and the bytes of memory for each. */
	uint64_t headers;
	size_t header_memory;
	double sink_timeout;		/* seconds that a call of a sink may take; 0: any time */
	struct capture_limits limits;
	unsigned fallbacks;		/* how many of the sinks, the last ones, are fallbacks: see engine.h */
	/* The form is that of a dump; borrowed, and complete when capture_new() is called.  NULL: members. */
	const struct dump_layout *dump;
	/* With layers: what may be left out, and is stored when; borrowed.  NULL: everything, at once. */
	const struct layer_policy *policy;
	struct capture_id id;
	int64_t fixed_time;		/* for reproducible members; -1: use the clock */
};

/* The policy of the settings, or layer_policy_plain(). */
const struct layer_policy *layer_policy_of(const struct capture_settings *settings, const struct source *source);

#endif
