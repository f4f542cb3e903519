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

#endif
