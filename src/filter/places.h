// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The place of memory in the source, by offset, and the memory that the source has twice.
 *
 * The kernel image has a segment of its own, and is also in that of the memory around it.  A core of another writer may
 * have any memory several times, and differently aligned.
 */
#ifndef NSPLIT_FILTER_PLACES_H
#define NSPLIT_FILTER_PLACES_H

#include "core/virt.h"
#include "format/superblock.h"

/* Memory up to an address: from where the one before it ends, or from after a gap. */
struct first_place {
	uint64_t end;			/* first, for values_sort() */
	uint32_t place;			/* the number of the first place that has it */
	uint32_t unclaimed;		/* while they are found: no other one up to this one is without a place */
};

/* Bytes in all second places; kernel images have up to 100 MiB. */
#define SECOND_LENGTH_MAX ((uint64_t)256 << 20)

struct places {
	struct stored_range *list;	/* whole granules, by offset, without overlaps; owned */
	size_t count;
	struct first_place *first;	/* by address, of all places; up to twice as many; owned */
	size_t first_count;
	struct second_places second;	/* whole granules; the first place is before them in the source */
};

/*
 * STATUS_DAMAGED: segments at different addresses share bytes of the source.  Without any second places
 * if they are too long; of more than a member has, with the longest ones.  places_free() must be called in any case.
 */
enum status places_find(struct places *p, const struct core *core, struct error *e);
void places_free(struct places *p);

/* The index of the first place that ends after an offset; count if there is none. */
size_t places_from(const struct places *p, uint64_t offset);

/*
 * Is this place, of all that have a byte of the page frame, the first one that has its first bytes?  Others may have
 * the same memory without being second places.  Reduces *count to the frames from there on of which the same is true;
 * all of them must be in this place.
 */
bool places_is_first(const struct places *p, size_t place, uint64_t frame, unsigned shift, uint64_t *count);

/*
 * Compares the second places with the first ones, and forgets those that differ or cannot be read: what the headers of a
 * source say of its memory need not be true.  A sample is compared where the kernel's page tables say the same.
 */
enum status places_compare(struct places *p, const struct virt *virt, struct error *e);

#endif
