// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Extents: consecutive bytes of the source, and what a set has of them.  doc/format.md, section 10.
 */
#ifndef NSPLIT_SET_READ_EXTENT_H
#define NSPLIT_SET_READ_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "format/format.h"

/* Where several records speak of the same bytes, the greatest of these counts. */
enum extent_kind {
	EXTENT_UNKNOWN,			/* no record of layer 1 covers it: missing */
	EXTENT_LEFT_OUT,		/* on purpose: reads as zeros */
	EXTENT_MISSING,			/* its class is known, and is not left out */
	EXTENT_UNREADABLE,		/* when it was captured: reads as zeros, and is reported */
	EXTENT_DAMAGED,			/* only records with damaged bodies store it: missing */
	EXTENT_ZERO,			/* its bytes are zeros */
	EXTENT_STORED,
};

struct extent {
	uint64_t offset;		/* in the source */
	uint64_t length;		/* bytes */
	enum extent_kind kind;
	unsigned class_number;		/* enum layer_class, or a number of a later version */
	bool second;			/* in a second place: the rest is that of the first */
	bool unsure;			/* a record that may have more of it cannot be read now */
	/* EXTENT_STORED, EXTENT_DAMAGED: the index in the map of the set, */
	size_t location;
	uint32_t at;			/* and where it begins in the stored bytes of that record */
};

static inline bool extent_is_missing(const struct extent *x)
{
	return x->kind == EXTENT_UNKNOWN || x->kind == EXTENT_MISSING || x->kind == EXTENT_DAMAGED;
}

/* The error for a reader of bytes that are unreadable or missing: STATUS_MISSING. */
enum status extent_error(const struct extent *x, struct error *e);

/* --- totals --- */

/* The contents of a set, in bytes, by class (format/format.h). */

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
