// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory that a capture will take, worked out before it and not exceeded by it. */
#ifndef NSPLIT_CAPTURE_MEMORY_MEMORY_PLAN_H
#define NSPLIT_CAPTURE_MEMORY_MEMORY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct capture_settings;
struct layer_policy;
struct sink;
struct source;

/*
 * Chunks of the pool beyond one for each worker and each output: enough that neither workers nor
 * writers are idle when the others come in bursts.
 */
enum { CHUNKS_WAITING = 5 };

/*
 * And for each worker, if a stream is written in the order of the source: while one chunk is packed that takes
 * long, those behind it wait.  One worker needs none, and striped files get none: --stripe is not for speed.
 */
enum { CHUNKS_ORDERED = 3 };

/* Bytes for program headers; if they take less, they are not the reason why memory is short. */
enum { HEADERS_MANY = 1 << 20 };

/* In bytes, unless noted. */
struct memory_plan {
	unsigned chunks;		/* their number */
	size_t chunk;			/* each, of the pool */
	size_t worker;			/* each: codecs, read buffer, page tables, stack */
	size_t sink;			/* each: index segment, stack */
	size_t pipes;			/* of the kernel, for the pipes to all commands */
	size_t ledger;
	size_t headers;			/* for the program headers of the source, known before the capture */
	size_t program;			/* code, libraries, tables: measured, not counted */
	uint64_t total;
	/* Address space that a worker or a sink uses beyond that: stack, mapping of the source. */
	size_t worker_unused, sink_unused;
};

/* The number of workers: 1 with --serial. */
unsigned capture_workers(const struct capture_settings *settings);

/* The policy of the settings, or layer_policy_plain(). */
const struct layer_policy *plan_policy(const struct capture_settings *settings,
				       const struct source *source);
/*
 * Is a chunk written only after all chunks before it?  A single stream needs this order, so that njoin can
 * join it into a stream.  ordinary: the number of sinks that are not fallbacks.
 */
bool plan_keeps_order(const struct layer_policy *policy, const struct sink *sinks, unsigned ordinary);
/* The sum, for these numbers of workers, sinks and chunks. */
uint64_t memory_plan_sum(const struct memory_plan *p, unsigned workers, unsigned sinks,
			 unsigned chunks);

/* The number of chunks of the source; UINT64_MAX: a stream, whose length is not known. */
uint64_t source_chunks(const struct source *source, uint32_t chunk_size);

/*
 * Works the plan out for sinks that were probed, with a pool that fits settings->memory_limit.
 * STATUS_USAGE with the smallest limit that would do if that is impossible.
 */
enum status capture_plan(const struct capture_settings *settings, const struct source *source,
			 const struct sink *sinks, unsigned count, struct memory_plan *plan,
			 struct error *e);

#endif
