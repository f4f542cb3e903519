// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Estimates of what other presets would cost and leave: some blocks of a chunk are packed by them.
 *
 * For each estimate the same blocks are packed by one preset and by the standard preset, and only
 * their ratio counts.  So presets can be compared although they packed different blocks at
 * different times.
 *
 * All estimates of a worker together take ESTIMATE_SHARE of its time, divided evenly between the
 * presets, so fast presets are estimated often and slow ones rarely.  The first estimate of each
 * preset is due at once.
 */
#ifndef NSPLIT_CAPTURE_AUTO_AUTO_ESTIMATE_H
#define NSPLIT_CAPTURE_AUTO_AUTO_ESTIMATE_H

#include "capture/fill/pack.h"

/*
 * The part of a worker's time that estimates take.  With 0.001, presets are compared too rarely: 2
 * to 6 % more was stored.  With 0.05, nothing was gained.  (Measured as auto_choice.c says.)
 */
static const double ESTIMATE_SHARE = 0.01;

struct estimate {
	unsigned preset;
	double bytes;			/* of blocks that are not same-filled */
	double seconds, packed;		/* with the preset: CPU time, and bytes */
	double standard_seconds, standard_packed;
};

/* Belongs to one worker. */
struct estimator {
	struct packers *packers;	/* one for each preset; borrowed */
	size_t block_size;
	uint8_t *scratch;		/* for a packed block, owned */
	unsigned counts[PRESETS_MAX];	/* of estimates */
	double shortest[PRESETS_MAX];	/* seconds of the shortest one, which was not disturbed */
	double spent;			/* seconds, on all estimates */
	bool found_none;		/* all blocks were same-filled the last time */
	size_t first;			/* block to begin with; differs from piece to piece */
};

/* Bytes of memory that an estimator takes. */
size_t estimator_memory(const struct packers *packers, uint32_t block_size);
enum status estimator_init(struct estimator *t, struct packers *packers, uint32_t block_size,
			   struct error *e);
void estimator_free(struct estimator *t);

/*
 * If an estimate is due for a worker that has worked for this number of seconds, packs some of the
 * whole blocks in data and sets *estimate.  False: none was due, or all blocks are same-filled.
 */
bool estimate_if_due(struct estimator *t, double worked, const uint8_t *data, size_t len,
		     struct estimate *estimate);

#endif
