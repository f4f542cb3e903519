// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ceiling: what the processors and the memory of this machine can do with these blocks, by
 * the same number of threads, with no input, no output, no record and no checksum.
 * Same-filled blocks are found, and passed over, as in a capture.
 */
#ifndef NSPLIT_BENCH_CEILING_H
#define NSPLIT_BENCH_CEILING_H

#include <stdatomic.h>

#include "base/thread_pool.h"
#include "bench/measure.h"
#include "io/source.h"

struct ceiling {
	struct source *source;		/* in memory */
	uint64_t sample;		/* bytes of it that are taken at most, from all over it */
	const struct preset *preset;
	uint32_t block_size;
	uint32_t chunk_size;		/* what a thread claims at a time */
	unsigned threads;		/* at least 1 */
	const atomic_bool *stop;	/* set from the watch's tick */
};

/* From the first thread's first chunk to the last one's last. */
struct ceiling_figures {
	uint64_t bytes;
	double seconds;
};

/*
 * MEASURE_COPY: memcpy() into a buffer of a chunk.  MEASURE_PACK: each block into one that stays in
 * the cache.  MEASURE_UNPACK: back, of blocks packed before.  The sample is gone through once, and
 * again until a twentieth of a second is over.  STATUS_STOPPED: the figures say nothing.
 */
enum status ceiling_run(const struct ceiling *c, enum measure what, const struct watch *watch,
			struct ceiling_figures *figures, struct error *e);

#endif
