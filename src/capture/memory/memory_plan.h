// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory that a capture will take, worked out before it and not exceeded by it; and how a capture is fitted to the
 * memory available: with too little memory the kernel would kill it, and a dump by one thread is better than none.
 *
 * Settings are reduced in this order, each as far as necessary: chunks that only wait between threads; threads; chunks,
 * down to one; the size of chunks; and last the codec, to one that needs hardly any memory.  If even that does not fit, it is tried anyway.  Values that the user chose
 * are reduced like defaults: -j64 becomes 30 threads in 60 MiB.  Only --mem-limit is kept.
 *
 * Measured in cgroups of 40, 50, 60, 100 and 200 MiB with 1, 8 and 64 threads, 1 and 8 outputs, and
 * the codecs lzo, zstd:19 and auto: no capture was killed, and the highest peak was 83 % of the
 * limit.
 */
#ifndef NSPLIT_CAPTURE_MEMORY_MEMORY_PLAN_H
#define NSPLIT_CAPTURE_MEMORY_MEMORY_PLAN_H

#include "capture/memory/memory_limits.h"
#include "capture/settings.h"

/*
 * The stack of a thread, where LZ4 HC and zstd keep some tables, and the part of it that is used,
 * as measured with --stats on glibc 2.36; bytes.
 */
enum { THREAD_STACK = 512 * 1024, STACK_TOUCHED = 96 * 1024 };

/*
 * Chunks of the pool beyond one for each worker and each output: enough that neither workers nor
 * writers are idle when the others come in bursts.  None, if one thread fills and writes.
 */
enum { CHUNKS_WAITING = 5 };

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
};

/* The number of workers: 1 with --serial. */
unsigned capture_workers(const struct capture_settings *settings);

/* The number of chunks of the source; UINT64_MAX: a stream, whose length is not known. */
uint64_t source_chunks(const struct source *source, uint32_t chunk_size);

/*
 * Works the plan out for sinks that were probed, with a pool that fits settings->memory_limit.
 * STATUS_USAGE with the smallest limit that would do if that is impossible.
 */
enum status capture_plan(const struct capture_settings *settings, const struct source *source,
			 const struct sink *sinks, unsigned count, struct memory_plan *plan,
			 struct error *e);

/*
 * Bytes of the available memory that a capture may plan for.  The rest stays free for the page
 * cache, for other programs, and for what the plan does not count.
 */
uint64_t fit_usable(uint64_t available);

enum fit_outcome {
	FIT_AS_WANTED,
	FIT_WITH_LESS,			/* less than the settings asked for */
	FIT_NOT,			/* not even the least fits, and that is tried */
};

struct fit_note {
	enum fit_outcome outcome;
	struct error text;		/* unless FIT_AS_WANTED: what was reduced, and why */
};

/*
 * Calls capture_plan(), and if the plan does not fit the limit, changes the settings and the plan
 * so that they do.  Without settings->memory_limit some of the available memory is left free.
 */
enum status capture_fit(struct capture_settings *settings, const struct source *source,
			const struct sink *sinks, unsigned count, const struct limit *limit,
			struct memory_plan *plan, struct fit_note *note, struct error *e);

/*
 * When capture_new() did not get the memory for a plan: reduces it to three quarters.  False: it
 * could not be made smaller.
 */
bool capture_fit_again(struct capture_settings *settings, const struct source *source,
		       const struct sink *sinks, unsigned count, struct memory_plan *plan,
		       struct fit_note *note);

#endif
