// SPDX-License-Identifier: GPL-2.0-or-later
/* A capture with layers under test: a source of which each granule has a class, and what must come of it. */
#ifndef NSPLIT_TESTS_UNIT_LAYER_TRIAL_H
#define NSPLIT_TESTS_UNIT_LAYER_TRIAL_H

#include "layer_oracle.h"
#include "trial.h"

enum { LAYER_TRIAL_LAYERS = 4 };

struct layer_trial {
	struct trial t;
	struct guide guide;
	uint8_t *bytes;			/* of the source; owned */
	uint64_t size;
	uint8_t *classes;		/* of each granule; owned */
	/* Granules [twin, twin + twins) may be the same as those from twin_of on. */
	uint64_t twin, twins, twin_of;
	bool disbelieved;		/* free pages are not believed */
	bool stops;			/* a request to stop comes while the guide is asked */
	_Atomic unsigned judged;	/* how often the guide was asked */
	_Atomic unsigned classified;	/* units */
	struct trial_source source;
};

/*
 * A source of mixed bytes with classes in runs of 1 to longest granules.  t is initialised as by
 * trial_init(); codecs, threads and failures are the caller's.
 */
void layer_trial_init(struct layer_trial *l, uint64_t size, unsigned outputs, unsigned longest,
		      unsigned seed);
void layer_trial_free(struct layer_trial *l);

/* Makes granules of one class, and so that they can be aliases; one in eight is not the same. */
void layer_trial_make_twins(struct layer_trial *l, uint64_t twin, uint64_t twins, uint64_t twin_of);

/*
 * Judges the members of all sinks that count by doc/format.md, section 18: what was wanted is there,
 * what was not is left out, and nothing is missing.
 */
void layer_trial_assert_perfect(struct layer_trial *l);
/* The same, but the granules of the source with an unreadable page are so. */
void layer_trial_assert_but(struct layer_trial *l, uint64_t unreadable);
/* What is missing from the members was reported so, and all footers say the same of the classes. */
void layer_trial_assert_told(struct layer_trial *l);

#endif
