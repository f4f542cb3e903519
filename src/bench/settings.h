// SPDX-License-Identifier: GPL-2.0-or-later
/* The settings of a benchmark. */
#ifndef NSPLIT_BENCH_SETTINGS_H
#define NSPLIT_BENCH_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "bench/measure.h"
#include "capture/fill/layer_policy.h"
#include "io/sink.h"
#include "io/source.h"

struct numbers {
	uint64_t *values;		/* owned */
	size_t count;
};

/* What to do with the page cache before each measurement. */
enum cache_way {
	CACHE_DROP_MEMBERS,		/* drop the pages of the members */
	CACHE_DROP,			/* drop everything; if that is not permitted, source and members */
	CACHE_KEEP,
};

/* How pages are left out.  All zero: none are. */
struct bench_pages {
	/*
	 * Before each capture: its policy, which is good until end() is called.  Pages are classified again in each
	 * capture, as nsplit classifies them.  NULL: nothing can be left out, and *e says why.
	 */
	const struct layer_policy *(*begin)(void *arg, struct source *source, struct error *e);
	void (*end)(void *arg);		/* after a begin() that did not fail */
	void *arg;
};

struct bench_settings {
	struct names outputs;		/* a single "null:" may be any number of outputs */
	struct numbers threads;		/* 0: serial mode */
	struct numbers output_counts;	/* 0: as many as threads */
	struct numbers block_sizes;	/* 0: that of the codec */
	struct bench_codec *codecs;	/* owned */
	size_t codecs_count;
	struct numbers disk_rates;	/* bytes/s of the outputs in turn; none: no limit */
	struct numbers later_rates;	/* rates after the change; none: no change */
	double later;			/* seconds until the change */

	uint32_t chunk_size;
	enum direct_mode direct;
	unsigned rounds, warmups;
	unsigned permits;		/* PERMIT_..., as in io/existing.h */
	double sink_timeout;		/* as in capture.h */
	bool reads;			/* read the members back where that is possible */
	const char *join_to;
	unsigned random_reads;		/* per round */
	enum cache_way cache;
	struct bench_pages pages;
	uint64_t sample;		/* bytes for the ceiling, unless the source is in memory */
};

#endif
