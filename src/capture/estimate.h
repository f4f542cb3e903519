// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Assays: a few blocks of a chunk packed by other rungs of the ladder than its own, to learn what
 * those would take and leave.
 *
 * Each assay packs the same blocks by one rung and by the standard rung.  What is kept is the
 * one in parts of the other, so that rungs compare although they saw other blocks, at other times.
 *
 * All that a worker's assays take is ESTIMATE_SHARE of its time, shared evenly by the rungs: the fast
 * ones are assayed often, the slow ones seldom.  The first of each is due at once.
 */
#ifndef NSPLIT_CAPTURE_ESTIMATE_H
#define NSPLIT_CAPTURE_ESTIMATE_H

#include "capture/pack.h"

static const double ESTIMATE_SHARE = 0.01;

struct estimate {
	unsigned preset;
	double bytes;			/* of blocks that are not same-filled */
	double seconds, packed;		/* by the rung: of the CPU, and bytes; */
	double standard_seconds, standard_packed;
};

/* Belongs to one worker. */
struct estimator {
	struct packers *packers;	/* one a rung; whose assayer it is, owns them */
	size_t block_size;
	uint8_t *scratch;		/* for a packed block, owned */
	unsigned counts[PRESETS_MAX];	/* of assays */
	double shortest[PRESETS_MAX];	/* seconds that one took at least: what it takes undisturbed */
	double spent;			/* seconds, by all */
	bool found_none;		/* all blocks were same-filled the last time */
	size_t turn;			/* so that not the same blocks of each piece are taken */
};

/* The rung that all are measured by: the fastest that packs. */
enum { ASSAY_STANDARD = 1 };

/* Bytes of memory that an assayer takes. */
size_t estimator_memory(const struct packers *packers, uint32_t block_size);
enum status estimator_init(struct estimator *a, struct packers *packers, uint32_t block_size,
			 struct error *e);
void estimator_free(struct estimator *a);

/*
 * Is an assay due for a worker that has worked for so many seconds?  Then some of the len bytes
 * of whole blocks are packed, and what that showed is put into *assay.  False: none was due, or
 * all blocks are same-filled.
 */
bool estimate_if_due(struct estimator *a, double worked, const uint8_t *data, size_t len,
		  struct estimate *estimate);

#endif
