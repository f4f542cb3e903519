// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An index of segments by physical or virtual address.  Finding those that contain an address takes
 * logarithmic time, even if segments overlap.
 */
#ifndef NSPLIT_CORE_SEGMENTS_H
#define NSPLIT_CORE_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * A PT_LOAD.  paddr + memsz is at most 2^56, offset + filesz below 2^64, and filesz at most memsz.
 */
struct segment {
	uint64_t vaddr, paddr;
	uint64_t offset;		/* in the core */
	uint64_t filesz;		/* bytes that are in the core */
	uint64_t memsz;			/* bytes of memory; zeros where not in the core */
};

/* The addresses first to last of a segment, both included. */
struct segment_range {
	const struct segment *segment;	/* borrowed */
	uint64_t first, last;
};

struct segment_index {
	struct segment_range *ranges;	/* by first; owned */
	size_t count;
	/*
	 * A binary tree: node 1 is the root, node n has the children 2n and 2n + 1, and node
	 * leaves + i stands for range i.  Each node has the highest last address of the ranges
	 * below it; owned.
	 */
	uint64_t *highest;
	size_t leaves;			/* a power of two above count */
};

/*
 * The physical index covers all memory of the segments, the virtual index only what is in the core.
 * Both borrow the segments.
 */
enum status segment_index_physical(struct segment_index *x, const struct segment *segments,
				   size_t count, struct error *e);
enum status segment_index_virtual(struct segment_index *x, const struct segment *segments,
				  size_t count, struct error *e);
void segment_index_free(struct segment_index *x);

/* The number of ranges that begin at or before an address. */
size_t segment_index_up_to(const struct segment_index *x, uint64_t address);

/*
 * Sets *at to the index of the last one, among the first count ranges, that does not end before an
 * address.  With count = segment_index_up_to(), that range contains the address; calling again with
 * count = *at finds the next such range.  False: there is none.
 */
bool segment_index_last(const struct segment_index *x, size_t count, uint64_t address, size_t *at);

#endif
