// SPDX-License-Identifier: GPL-2.0-or-later
/* What nsplit-bench was asked to measure. */
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

struct bench_settings {
	struct names outputs;		/* a single null: stands for any number */
	struct numbers threads;		/* 0: the serial twin */
	struct numbers output_counts;	/* 0: as many as threads */
	struct numbers block_sizes;
	struct bench_codec *codecs;	/* owned */
	size_t codecs_count;
	struct numbers disk_rates;	/* bytes a second, of the outputs in turn; none: as they are */
	struct numbers later_rates;	/* what they become; none: they stay */
	double later;			/* seconds after which they do */

	uint32_t chunk_size;
	enum direct_mode direct;
	unsigned rounds, warmups;
	unsigned permits;		/* SINK_OVERWRITE..., as in io/sink.h */
	double sink_timeout;		/* as in capture.h */
	bool reads;			/* where all outputs can be read */
	const char *join_to;
	unsigned random_reads;		/* a round */
	bool keep_caches;
	uint64_t sample;		/* bytes of a source that is not in memory, for the ceiling */
};

#endif
