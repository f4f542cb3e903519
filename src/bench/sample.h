// SPDX-License-Identifier: GPL-2.0-or-later
/* A sample of a source: chunks at regular distances. */
#ifndef NSPLIT_BENCH_SAMPLE_H
#define NSPLIT_BENCH_SAMPLE_H

#include "capture/fill/layer_policy.h"
#include "io/source.h"

/*
 * The number of chunks in a sample of at most limit bytes; at least one unless the source is empty.
 */
uint64_t sample_chunks(uint64_t size, uint32_t chunk_size, uint64_t limit);

/* The offset in the source of one of the chunks of a sample. */
uint64_t sample_start(uint64_t size, uint32_t chunk_size, uint64_t chunks, uint64_t number);

/*
 * Copies a source to memory: all of it, or a sample of at most limit bytes, of which pages that the policy leaves out
 * are dropped (NULL: none are).  What cannot be read is replaced by zeros.
 */
enum status sample_take(struct source **sample, struct source *source, const struct layer_policy *policy,
			uint32_t chunk_size, uint64_t limit, struct error *e);

#endif
