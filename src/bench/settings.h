// SPDX-License-Identifier: GPL-2.0-or-later
/* The settings of a benchmark. */
#ifndef NSPLIT_BENCH_SETTINGS_H
#define NSPLIT_BENCH_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "bench/measure.h"
#include "io/sink.h"

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

struct bench_settings {
	struct names outputs;		/* a single "null:" may be any number of outputs */
	struct numbers threads;		/* 0: serial mode */
	struct numbers output_counts;	/* 0: as many as threads */
	struct numbers block_sizes;
	struct bench_codec *codecs;	/* owned */
	size_t codecs_count;
	struct numbers disk_rates;	/* bytes/s of the outputs in turn; none: no limit */
	struct numbers later_rates;	/* rates after the change; none: no change */
	double later;			/* seconds until the change */

	uint32_t chunk_size;
	enum direct_mode direct;
	unsigned rounds, warmups;
	unsigned permits;		/* SINK_OVERWRITE..., as in io/sink.h */
	double sink_timeout;		/* as in capture.h */
	bool reads;			/* read the members back where that is possible */
	const char *join_to;
	unsigned random_reads;		/* per round */
	enum cache_way cache;
	uint64_t sample;		/* bytes for the ceiling, unless the source is in memory */
};

#endif
