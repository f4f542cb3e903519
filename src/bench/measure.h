// SPDX-License-Identifier: GPL-2.0-or-later
/* Quantities that are measured. */
#ifndef NSPLIT_BENCH_MEASURE_H
#define NSPLIT_BENCH_MEASURE_H

#include "bench/summary.h"
#include "codec/presets.h"

/* Each is a rate: bytes of the source per second, without pages that are left out. */
enum measure {
	MEASURE_COPY,		/* ceiling (ceiling.h): memcpy() */
	MEASURE_PACK,		/* ceiling of MEASURE_CAPTURE */
	MEASURE_UNPACK,		/* ceiling of MEASURE_VERIFY and MEASURE_JOIN */
	MEASURE_CAPTURE,	/* from opening the first output to the last fsync() */
	MEASURE_VERIFY,		/* open the set; read, check and unpack all of it */
	MEASURE_JOIN,		/* the same, and write the source */
	MEASURES
};

struct bench_codec {
	struct presets presets;
	char *text;		/* such as "zstd:3"; owned by the settings */
	uint32_t block_size;	/* if none is asked for */
};

/* False: its members cannot be read, since it does not compress (sleep_codec.h). */
bool codec_reads_back(const struct bench_codec *codec);

/* One combination of the matrix, and its results. */
struct cell {
	unsigned threads;		/* 0: serial mode */
	unsigned outputs;
	uint32_t block_size;
	const struct bench_codec *codec;

	bool reads;			/* the members are read back */

	/* One sample per round; an unfinished round may lack some. */
	struct samples rate[MEASURES];
	struct samples latency;		/* seconds of each random read of 4 KiB, all rounds */
	uint64_t stored_bytes;		/* of the source, in the members of the latest capture */
	uint64_t member_bytes;		/* of a capture that counts; 0: none has finished */
};

/* The ceiling of a measure, and the share of it that the measure reached; false: not measured. */
const struct samples *cell_ceiling(const struct cell *cell, enum measure what);
bool cell_share(const struct cell *cell, enum measure what, struct summary *share);

/*
 * Of count cells with ever more threads, and perhaps outputs, the first ones: those whose captures reach this
 * share of the ceiling.  With a codec that sleeps, these are the numbers of threads that the engine keeps busy.
 */
size_t cells_keeping_up(const struct cell *cells, size_t count, double least);

/*
 * The cell whose captures have the greatest median rate, and the one with the smallest members: of those that differ
 * by at most 0.1 %, the last.  Codecs that cannot be read back do not count.  NULL: none was measured.
 */
const struct cell *cells_fastest(const struct cell *cells, size_t count);
const struct cell *cells_smallest(const struct cell *cells, size_t count);

/* Can it be trusted that this one of the cells is the fastest? */
enum fastest_trust {
	FASTEST_RELIABLE,
	FASTEST_UNRELIABLE,		/* its own rate is unreliable (summary_is_wide()) */
	FASTEST_DOUBTFUL		/* another rate is, and had a faster round than its median */
};

enum fastest_trust cells_fastest_trust(const struct cell *cells, size_t count, const struct cell *fastest);

/* The fastest round as a share of the ceiling's fastest; 0: not measured. */
double cell_best(const struct cell *cell, enum measure what);

#endif
