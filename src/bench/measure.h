// SPDX-License-Identifier: GPL-2.0-or-later
/* What is measured, of what. */
#ifndef NSPLIT_BENCH_MEASURE_H
#define NSPLIT_BENCH_MEASURE_H

#include "bench/summary.h"
#include "codec/presets.h"

/* Each is a rate: bytes of the source a second. */
enum measure {
	MEASURE_COPY,		/* the ceiling (ceiling.h): memcpy, */
	MEASURE_PACK,		/* of MEASURE_CAPTURE, */
	MEASURE_UNPACK,		/* of MEASURE_VERIFY and MEASURE_JOIN */
	MEASURE_CAPTURE,	/* from the first open of an output to the last fsync */
	MEASURE_VERIFY,		/* the set opened, all of it read, checked and unpacked */
	MEASURE_JOIN,		/* and written */
	MEASURES
};

struct bench_codec {
	struct presets presets;
	char *text;		/* "zstd:3"; of the settings */
};

/* One combination of the matrix, and what came of it. */
struct cell {
	unsigned threads;		/* 0: the serial twin */
	unsigned outputs;
	uint32_t block_size;
	const struct bench_codec *codec;

	bool reads;			/* the outputs can be read, and are */

	/* One a round; those of a round that was not finished may lack the last ones. */
	struct samples rate[MEASURES];
	struct samples latency;		/* seconds, of each random read of 4 KiB of all rounds */
	uint64_t member_bytes;		/* of a whole capture; 0: there was none */
};

#endif
