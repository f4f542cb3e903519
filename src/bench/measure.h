// SPDX-License-Identifier: GPL-2.0-or-later
/* Quantities that are measured. */
#ifndef NSPLIT_BENCH_MEASURE_H
#define NSPLIT_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "codec/presets.h"

/* --- statistics ---------------------------------------------------------- */

/* Values in the order of measurement. */
struct samples {
	double *values;			/* owned */
	double *scratch;		/* second half of that memory, for sorting */
	size_t count;
	size_t capacity;
};

enum status samples_init(struct samples *s, size_t capacity, struct error *e);
void samples_free(struct samples *s);
/* At most capacity values. */
void samples_add(struct samples *s, double value);

struct summary {
	double median, least, most;
	double spread;			/* (most - least) / median */
	size_t count;
};

/* A wider spread, or fewer values, allow no conclusions. */
#define SPREAD_WIDE 0.20
enum { COUNT_FEW = 3 };

bool summary_is_wide(const struct summary *summary);

/* False if there are no values. */
bool samples_summary(const struct samples *s, struct summary *summary);

/* The value that this share of the values (0 to 1) does not exceed.  Needs at least one value. */
double samples_percentile(const struct samples *s, double share);

/*
 * Statistics of each value of a divided by the value of b with the same index.  These two were
 * measured one after the other, so a machine that changes its speed affects both.  False if there
 * is no pair.
 */
bool samples_share(const struct samples *a, const struct samples *b, struct summary *summary);

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

/* --- every combination of the settings ----------------------------------- */

struct bench_settings;

struct matrix {
	struct cell *cells;	/* by outputs, block sizes, codecs, threads; owned */
	size_t count;
};

/* STATUS_USAGE: a combination is impossible. */
enum status matrix_check(const struct bench_settings *s, struct error *e);

/* The largest number of outputs of a cell. */
unsigned matrix_most_outputs(const struct bench_settings *s);

/*
 * The settings have been checked.  readable: the number of outputs, from the first, that can be
 * read.
 */
enum status matrix_init(struct matrix *m, const struct bench_settings *s, unsigned readable,
			struct error *e);
void matrix_free(struct matrix *m);

/*
 * How reliable the figures of a benchmark are.  Speeds, ceilings and shares are judged apart: with
 * emulated disks, captures are often exact to 1 % while the ceiling varies, and when another
 * program slows down the whole machine, speeds vary while the shares do not.
 */

enum judged {
	JUDGED_CAPTURES,
	JUDGED_VERIFIES,
	JUDGED_JOINS,
	JUDGED_CEILINGS,		/* of captures and of reading */
	JUDGED_SHARES,			/* likewise */
	JUDGED_KINDS
};

struct verdict {
	struct {
		size_t figures, reliable;
		size_t rounds;		/* the most of a figure; 1: there is no spread */
		double widest;		/* spread */
	} kinds[JUDGED_KINDS];
	bool few;			/* every figure has fewer than COUNT_FEW rounds */
};

struct verdict verdict_of(const struct cell *cells, size_t count);

/* True if all captures, verifies and joins are reliable. */
bool verdict_speeds_reliable(const struct verdict *verdict);
bool verdict_shares_reliable(const struct verdict *verdict);
/* The same of all kinds. */
bool verdict_all_reliable(const struct verdict *verdict);

#endif
