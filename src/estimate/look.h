// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the contents of some of the pages that a census meets, and packs them (sample.h). */
#ifndef NSPLIT_ESTIMATE_LOOK_H
#define NSPLIT_ESTIMATE_LOOK_H

#include "estimate/census.h"
#include "estimate/kcore.h"
#include "estimate/sample.h"

/* What was read, and the CPU time for that. */
struct look_timed {
	uint64_t bytes;
	double seconds;
};

struct look {
	struct sample *sample;		/* NULL: nothing can be read */
	const struct kcore *kcore;
	/* Of so many pages of a content that are met in a round, a block is read; and how many were met. */
	uint64_t every[CONTENTS], met[CONTENTS];
	uint64_t map_most;		/* bytes of the memory map to read */
	double until;			/* clock_seconds(): no page is read after that, but for the map */
	uint64_t read;			/* pages that were to be read */
	uint64_t windows;		/* that were met; one in piece_every begins with a piece */
	uint64_t piece_every;
	struct look_timed pieces, pages;
};

/*
 * The census has counted the pages that will be met, so that what is read of them comes from everywhere.
 * kernel_most: bytes to read of the kernel's pages; of others less.  seconds: for all of that.
 */
void look_begin(struct look *look, struct sample *sample, const struct kcore *kcore, const struct census *census,
		uint64_t kernel_most, double seconds);

/*
 * Each round meets all pages of the census, and reads other ones, so that little is lost if there is no time for the
 * next one.
 */
enum { LOOK_ROUNDS = 4 };
void look_begin_round(struct look *look, unsigned round);

/* For census_visit(): arg is a struct look with a sample.  False: there is no time left. */
bool look_at_window(void *arg, const struct census_window *window);

/* Some blocks of the memory map, from all of it. */
void look_at_map(struct look *look);

/* Where the memory cannot be read: packs this program in its place, to measure the time that takes. */
void look_at_program(struct sample *sample);

/*
 * Bytes that a CPU second reads: in larger pieces, as a capture of everything does, and page by page, as where pages
 * are left out between others.  A usual rate if nothing was read.
 */
double look_rate(const struct look *look, enum packing packing);

#endif
