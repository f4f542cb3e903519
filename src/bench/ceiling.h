// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ceiling: the speed at which the CPUs and the memory of this machine can copy, pack or unpack
 * these blocks, with the same number of threads, but without input, output, records and checksums.
 * Same-filled blocks are detected and skipped as in a capture.
 */
#ifndef NSPLIT_BENCH_CEILING_H
#define NSPLIT_BENCH_CEILING_H

#include <stdatomic.h>

#include "base/thread_pool.h"
#include "bench/measure.h"
#include "capture/fill/layer_policy.h"
#include "io/source.h"

/* --- a sample of the source ---------------------------------------------- */

/*
 * Copies a source to memory: all of it, or a sample of at most limit bytes, of which pages that the policy leaves out
 * are dropped (NULL: none are).  What cannot be read is replaced by zeros.
 */
enum status sample_take(struct source **sample, struct source *source, const struct layer_policy *policy,
			uint32_t chunk_size, uint64_t limit, struct error *e);

struct ceiling {
	struct source *source;		/* in memory */
	uint64_t sample;		/* the most bytes to use, spread over the source */
	const struct preset *preset;
	uint32_t block_size;
	uint32_t chunk_size;		/* the unit that a thread claims */
	unsigned threads;		/* at least 1 */
	const atomic_bool *stop;	/* set by the tick of the watch */
};

/* From the first chunk of the first thread to the last chunk of the last one. */
struct ceiling_figures {
	uint64_t bytes;
	double seconds;
};

/*
 * MEASURE_COPY: memcpy() to a buffer of one chunk.  MEASURE_PACK: packs each block to a buffer that
 * stays in the CPU cache.  MEASURE_UNPACK: unpacks blocks that were packed before.  The sample is
 * processed once, and again until a twentieth of a second has passed and each thread had 64 chunks, or two
 * seconds have passed.  STATUS_STOPPED: the figures are undefined.
 */
enum status ceiling_run(const struct ceiling *c, enum measure what, const struct watch *watch,
			struct ceiling_figures *figures, struct error *e);

#endif
