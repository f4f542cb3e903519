// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A benchmark: every combination of threads, codecs, outputs and block sizes is captured and read
 * back, in rounds.  The order is reversed in each round, so that a machine that becomes slower or
 * faster affects all combinations alike.
 */
#ifndef NSPLIT_BENCH_BENCH_H
#define NSPLIT_BENCH_BENCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/names.h"
#include "base/thread_pool.h"
#include "codec/codec.h"
#include "io/sink.h"
#include "io/source.h"

/* --- statistics ---------------------------------------------------------- */

/* Values in the order of measurement. */
struct samples {
	double *values;			/* owned */
	double *scratch;		/* second half of that memory, for sorting */
	size_t count;
};

/* For up to most values. */
enum status samples_init(struct samples *s, size_t most, struct error *e);
void samples_free(struct samples *s);
void samples_add(struct samples *s, double value);

struct summary {
	double median, least, most;
	double spread;			/* (most - least) / median */
	size_t count;			/* of values; 0: nothing was measured, and the others are 0, too */
};

/* A wider spread, or fewer values, allow no conclusions. */
#define SPREAD_WIDE 0.20
enum { COUNT_FEW = 3 };

bool summary_is_wide(const struct summary *summary);

struct summary samples_summary(const struct samples *s);

/*
 * Statistics of each value of a divided by the value of b with the same index.  These two were
 * measured one after the other, so a machine that changes its speed affects both.
 */
struct summary samples_share(const struct samples *a, const struct samples *b);

/* Each is a rate: bytes of the source per second. */
enum measure {
	MEASURE_COPY,		/* a ceiling: memcpy() */
	MEASURE_PACK,		/* ceiling of MEASURE_CAPTURE */
	MEASURE_CAPTURE,	/* from opening the first output to the last fsync() */
	/* Of members that can be read. */
	MEASURE_UNPACK,		/* ceiling of MEASURE_VERIFY and MEASURE_JOIN */
	MEASURE_VERIFY,		/* open the set; read, check and unpack all of it */
	MEASURE_JOIN,		/* the same, and write the source */
	MEASURES
};

bool measure_is_ceiling(enum measure what);

struct bench_codec {
	struct presets presets;
	char *text;		/* such as "zstd:3"; owned by the settings */
};

/* One combination of the settings, and its results. */
struct cell {
	unsigned threads;		/* 0: serial mode */
	unsigned outputs;
	uint32_t block_size;
	const struct bench_codec *codec;

	bool reads;			/* the members are read back */

	/* One sample per round; an unfinished round may lack some. */
	struct samples rate[MEASURES];
	uint64_t member_bytes;		/* of the latest capture */
};

/* A measure that is no ceiling, its ceiling, and the share of it that it reached. */
struct figures {
	struct summary rate, ceiling, share;
	double best;			/* the fastest round as a share of the ceiling's fastest */
};

struct figures cell_figures(const struct cell *cell, enum measure what);

/* --- a source that is made in memory ----------------------------------------- */

/*
 * A source in memory with the bytes that mkfakevmcore writes for the same settings.  It takes only
 * the memory of its pool, which is repeated.
 *
 *	fake:SIZE[,pattern=NAME][,compressible=PERCENT][,seed=NUMBER][,pool=SIZE]
 */

/* True if the name of a source has this form. */
bool fake_named(const char *name);

/* STATUS_USAGE: a setting is invalid. */
enum status fake_open(struct source **source, const char *name, struct error *e);

/* --- the settings ------------------------------------------------------------ */

struct numbers {
	uint64_t *values;		/* owned */
	size_t count;
};

/* What to do with the page cache before each measurement. */
enum cache_way { CACHE_DROP_MEMBERS, CACHE_KEEP };

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
	unsigned permits;		/* PERMIT_..., as in io/existing.h */
	double sink_timeout;		/* as in capture.h */
	bool reads;			/* read the members back where that is possible */
	const char *join_to;
	enum cache_way cache;
	uint64_t sample;		/* bytes for the ceiling */
};

/* --- ceilings ---------------------------------------------------------------- */

/*
 * The ceiling: the speed at which the CPUs and the memory of this machine can copy, pack or unpack
 * these blocks, with the same number of threads, but without input, output, records and checksums.
 * Same-filled blocks are detected and skipped as in a capture.
 */

struct sample {
	uint8_t *bytes;			/* from malloc() */
	uint64_t size;
};

/*
 * Copies a source to memory: all of it, or chunks that are spread over it, of at most limit bytes.  What cannot be read
 * is replaced by zeros.  The caller frees the bytes in any case.
 */
enum status sample_take(struct sample *sample, struct source *source, uint32_t chunk_size, uint64_t limit,
			struct error *e);

struct ceiling {
	const struct sample *sample;
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

/* --- the benchmark ----------------------------------------------------------- */

/* The state of the page cache before each measurement. */
enum caches {
	CACHES_NONE,			/* source and outputs are not cached */
	CACHES_KEPT,			/* nothing, as requested, or because there are no members */
	CACHES_MEMBERS,			/* members are dropped */
};

struct bench_results {
	struct cell *cells;		/* by outputs, block sizes, codecs, threads; owned by the benchmark */
	size_t count;
	unsigned captures;		/* that were measured; 0: there is nothing to report */
	enum caches caches;
	/* Progress: cells times rounds; clock_seconds() of the beginning; the cell that is being measured. */
	unsigned done, total;
	double started;
	const struct cell *now;
	bool hung;			/* a thread may still use an output: the program must end with _exit() */
};

struct bench;

/*
 * The source can be read at any offset and is not empty.  Files are overwritten in each round, and
 * bench_free() removes new ones.  STATUS_USAGE: the settings are invalid.
 */
enum status bench_new(struct bench **bench, const struct bench_settings *settings,
		      struct source *source, struct error *e);
void bench_free(struct bench *b);

/*
 * Measures.  A capture that is not perfect ends the benchmark, since its figures would not be
 * comparable.  STATUS_STOPPED after bench_stop().  In all cases, the results so far are kept.
 */
enum status bench_run(struct bench *b, const struct watch *watch, struct error *e);

/* Called from the tick of the watch. */
void bench_stop(struct bench *b);
/* The same, before the program ends at once: removes the files that the benchmark has created. */
void bench_abandon(struct bench *b);
const struct bench_results *bench_results(const struct bench *b);

#endif
