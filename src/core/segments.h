// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Segments by an address, physical or virtual: the ones that have it are found in a time that grows
 * with the logarithm of their number, however they overlap.
 */
#ifndef NSPLIT_CORE_SEGMENTS_H
#define NSPLIT_CORE_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A PT_LOAD.  paddr + memsz is at most 2^56, offset + filesz below 2^64, and filesz at most memsz. */
struct segment {
	uint64_t vaddr, paddr;
	uint64_t offset;		/* in the core */
	uint64_t filesz;		/* bytes that the core has */
	uint64_t memsz;			/* bytes of memory; those that it has not are zeros */
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
	 * A binary tree: node 1 is the root, node n has the children 2n and 2n + 1, and node leaves + i
	 * is that of range i.  Each has the highest last address of the ranges below it; owned.
	 */
	uint64_t *highest;
	size_t leaves;			/* a power of two above count */
};

/* By physical address, all memory; by virtual address, what the core has.  Both borrow the segments. */
enum status segment_index_physical(struct segment_index *x, const struct segment *segments,
				   size_t count, struct error *e);
enum status segment_index_virtual(struct segment_index *x, const struct segment *segments,
				  size_t count, struct error *e);
void segment_index_free(struct segment_index *x);

/* The number of ranges that begin at or before an address; they come first in ranges. */
size_t segment_index_up_to(const struct segment_index *x, uint64_t address);

/*
 * Of the first count ranges the last one that does not end before an address: *at is its place.  With
 * segment_index_up_to() for count the range has the address; with *at for count, the one before it.
 * False: there is none.
 */
bool segment_index_last(const struct segment_index *x, size_t count, uint64_t address, size_t *at);

#endif
