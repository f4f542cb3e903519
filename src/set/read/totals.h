// SPDX-License-Identifier: GPL-2.0-or-later
/* The contents of a set, in bytes, by class (format/classes.h). */
#ifndef NSPLIT_SET_READ_TOTALS_H
#define NSPLIT_SET_READ_TOTALS_H

#include "format/classes.h"

struct extent;

struct class_totals {
	uint64_t kept[CLASSES], left_out[CLASSES], missing[CLASSES];
	uint64_t unreadable;
	uint64_t unknown;		/* missing, and no record says of which class */
};

struct layer_totals {
	/* Each byte of the memory once: the first places, and everything that is in the source in one place only. */
	struct class_totals memory;
	struct class_totals second;	/* the second places, by what is in the first ones */
};

/* Adds length bytes of an extent, in a second place or elsewhere. */
void layer_totals_count(struct layer_totals *t, const struct extent *x, uint64_t length);

void layer_totals_add(struct layer_totals *sum, const struct layer_totals *t);

/*
 * Layers 1 to this one are complete: nothing of them is missing.  What footers and checkpoints state was true
 * when they were written; something may have been lost since.
 */
unsigned layer_totals_complete(const struct layer_totals *t, const struct class_table *classes);

/* The sum over all classes. */
uint64_t layer_totals_sum(const uint64_t of_class[CLASSES]);

/* The bytes of all second places. */
uint64_t layer_totals_second(const struct layer_totals *t);

#endif
