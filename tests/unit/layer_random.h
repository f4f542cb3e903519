// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets with layers as captures may write them, made at random from a seed: any classes and layers, holes of
 * the source, second places, records that end anywhere, ranges that were captured again, pages that changed
 * their class, checkpoints, captures that were killed.
 */
#ifndef NSPLIT_TESTS_UNIT_LAYER_RANDOM_H
#define NSPLIT_TESTS_UNIT_LAYER_RANDOM_H

#include "layer_maker.h"
#include "layer_oracle.h"
#include "set/set.h"

enum { LAYER_RANDOM_CELL = 65536, LAYER_RANDOM_MEMBERS = 3, LAYER_RANDOM_CELLS = 4 };

struct layer_random {
	uint64_t state;			/* of the random numbers */
	uint64_t size;			/* of the source */
	uint8_t *source;		/* owned */
	bool stable;			/* no page changes its class */
	const struct capture_id *id;
	unsigned count;			/* members; those that were taken away do not count */
	struct maker members[LAYER_RANDOM_MEMBERS];
};

/* A random number below limit. */
uint64_t layer_random_number(struct layer_random *r, uint64_t limit);

void layer_random_make(struct layer_random *r, uint64_t seed);
/* The same of a capture with this id, during which no page changes its class. */
void layer_random_make_stable(struct layer_random *r, uint64_t seed, const struct capture_id *id);
/*
 * The same of a source of at most LAYER_RANDOM_CELLS cells, which is copied; second places and zeros change
 * the copy.  Its first granules, kernel of them, are stored in layer 1.
 */
void layer_random_make_of(struct layer_random *r, uint64_t seed, const uint8_t *source, uint64_t size,
			  unsigned kernel);
void layer_random_free(struct layer_random *r);

/*
 * Takes a member away, cuts it short, flips a bit, clears a page, or exchanges two.  True: it has
 * exchanged pages.
 */
bool layer_random_damage(struct layer_random *r);

/* Overwrites some pages of a member with those of another set. */
void layer_random_paste(struct layer_random *r, const struct layer_random *other);

/* Writes them and opens the set, as --salvage does. */
enum status layer_random_open(const struct layer_random *r, struct set *set);
/* What the members say; call oracle_free(). */
void layer_random_read(const struct layer_random *r, struct oracle *o);

/* One set that is compared with the oracle. */
struct layer_trial {
	uint64_t seed;
	struct layer_random r;
	struct oracle o;
	struct set set;
	bool displaced;			/* the damage has exchanged pages */
	bool opened;			/* the set was opened, and the oracle knows its granules */
	/*
	 * opened, and not displaced.  Of displaced records, the oracle knows more than a reader with an index:
	 * see test_resolve.c.
	 */
	bool comparable;
};

/* damaged: from one to three times, by the seed.  Call layer_trial_end(). */
void layer_trial_begin(struct layer_trial *t, uint64_t seed, bool damaged);
void layer_trial_end(struct layer_trial *t);

#endif
