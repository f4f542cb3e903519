// SPDX-License-Identifier: GPL-2.0-or-later
/* A part of a source that stands for all of it: chunks at even distances. */
#ifndef NSPLIT_BENCH_SAMPLE_H
#define NSPLIT_BENCH_SAMPLE_H

#include "io/source.h"

/* Chunks in a sample of limit bytes at most; one at least, unless the source is empty. */
uint64_t sample_chunks(uint64_t size, uint32_t chunk_size, uint64_t limit);

/* Where chunk number of so many lies in the source. */
uint64_t sample_start(uint64_t size, uint32_t chunk_size, uint64_t chunks, uint64_t number);

/*
 * Part of a source in memory: all of it, or chunks from all over it, limit bytes at most.  What
 * cannot be read is zeros there.
 */
enum status sample_take(struct source **sample, struct source *source, uint32_t chunk_size,
			uint64_t limit, struct error *e);

#endif
