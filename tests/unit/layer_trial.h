// SPDX-License-Identifier: GPL-2.0-or-later
/* A capture with layers under test: a source of which each granule has a class, and what must come of it. */
#ifndef NSPLIT_TESTS_UNIT_LAYER_TRIAL_H
#define NSPLIT_TESTS_UNIT_LAYER_TRIAL_H

#include "layer_oracle.h"
#include "trial.h"

/* Layers 2 to 4 are of CLASS_FIRST, CLASS_MAP and CLASS_CLEAN; 5 of what is saved after all, 6 of CLASS_OFFLINE. */
enum { LAYER_TRIAL_LAYERS = 6, LAYER_TRIAL_FIRST = 5, LAYER_TRIAL_CHECKPOINTS = 64 };

/* A checkpoint that a sink was about to take, and what a power cut would have left then. */
struct layer_trial_checkpoint {
	unsigned sink;
	uint32_t whole;
	bool dangerous;
	uint32_t records;
	uint64_t index;
	uint64_t later;			/* bytes in records of later layers */
	size_t offset;
	size_t safe[TRIAL_OUTPUTS];	/* length of each member that was synced; of a sink that had failed 0 */
};

struct layer_trial {
	struct trial t;
	struct layer_policy policy;
	uint8_t *bytes;			/* of the source; owned */
	uint64_t size;
	uint8_t *classes;		/* of each granule; owned */
	const bool *unreadable;		/* granules that cannot be read; borrowed; NULL: none */
	struct second_places second;	/* empty at first */
	struct range first[LAYER_TRIAL_FIRST];	/* of the policy; empty at first */
	bool disbelieved;		/* free pages are not believed */
	bool stops;			/* a request to stop comes while the policy is asked */
	bool stops_before_marked;	/* or when layer 6 waits for a checkpoint */
	_Atomic size_t told[TRIAL_OUTPUTS];	/* end of the checkpoint that says that layer 6 follows; 0: none */
	_Atomic bool sealed[TRIAL_OUTPUTS];	/* it has a footer, and so gets no checkpoint any more */
	_Atomic unsigned touched;	/* reads of marked granules */
	bool waits;			/* workers begin layer 2 when a sink takes a checkpoint */
	uint64_t swapped[2];		/* granules that exchange their classes then; both 0: none */
	_Atomic unsigned judged;	/* how often the policy was asked */
	_Atomic unsigned taken;		/* checkpoints; of more than LAYER_TRIAL_CHECKPOINTS, the others are not kept */
	struct layer_trial_checkpoint checkpoints[LAYER_TRIAL_CHECKPOINTS];
	struct trial_source source;
};

/*
 * A source of mixed bytes with classes in runs of 1 to longest granules.  t is initialised as by
 * trial_init(); codecs, threads and failures are the caller's.
 */
void layer_trial_init(struct layer_trial *l, uint64_t size, unsigned outputs, unsigned longest,
		      unsigned seed);
void layer_trial_free(struct layer_trial *l);

/* Makes count granules from first on a second place of those from target on; behind those there are. */
void layer_trial_make_second(struct layer_trial *l, uint64_t first, uint64_t count, uint64_t target);

/* Gives the source first ranges, and marked granules that are to be read; behind the second places. */
void layer_trial_make_first(struct layer_trial *l);
void layer_trial_make_marked(struct layer_trial *l);

/*
 * Judges the members of all sinks that count by doc/format.md, section 10: what was wanted is there,
 * what was not is left out, and nothing is missing.
 */
void layer_trial_assert_perfect(struct layer_trial *l);
/*
 * Each checkpoint told the truth: what was synced when it was written has all of the layers that it names,
 * and its index lists all records before it.  In serial mode, what a sink had that has failed does not
 * count.  Not for sinks that are full, since these are written over.
 */
void layer_trial_assert_checkpoints(struct layer_trial *l);
/* Only of the members, and what cannot be read is unreadable. */
void layer_trial_assert_members(struct layer_trial *l);
/* What is missing from the members was reported so, and all footers say the same of the classes. */
void layer_trial_assert_told(struct layer_trial *l);

#endif
