// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The place of memory in the source, by offset, and the memory that the source has twice.
 *
 * The kernel image has a segment of its own, and is also in that of the memory around it.  Of two
 * places of the same memory, the second one in the source is the *twin* of the first.
 */
#ifndef NSPLIT_FILTER_PLACES_H
#define NSPLIT_FILTER_PLACES_H

#include "core/elf.h"
#include "format/gathered.h"

/* Bytes of a segment that are in the source. */
struct place {
	uint64_t offset, length;
	uint64_t paddr;
};

/* Whole granules that are also at target, before them in the source. */
struct twin {
	uint64_t offset, length;
	uint64_t target;		/* not itself in a twin */
};

enum { TWINS_MAX = 64 };
/* Bytes in all twins; kernel images have up to 100 MiB. */
#define TWINS_LENGTH_MAX ((uint64_t)256 << 20)

struct places {
	struct place *list;		/* by offset, without overlaps; owned */
	size_t count;
	struct twin twins[TWINS_MAX];	/* by offset, without overlaps */
	unsigned twins_count;
};

/*
 * STATUS_DAMAGED: segments at different addresses share bytes of the source.  Without any twins if
 * they are too many or too long.  places_free() must be called in any case.
 */
enum status places_find(struct places *p, const struct core *core, struct error *e);
void places_free(struct places *p);

/* The index of the first place that ends after an offset; count if there is none. */
size_t places_from(const struct places *p, uint64_t offset);

/*
 * Is this granule in a twin?  Sets *length to the bytes from there on of which the same is true, and
 * *target.
 */
bool places_twin(const struct places *p, uint64_t offset, uint64_t *target, uint64_t *length);

#endif
