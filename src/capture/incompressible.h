// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks that were stored since one was packed.
 *
 * Where nothing packs, trying is most of the work; so after a long run some blocks are
 * stored untried before the next is tried: as many bytes as are a INCOMPRESSIBLE_PART-th of the run,
 * and INCOMPRESSIBLE_SKIP_MAX at most.  When packable data follows, that is what is missed of it.
 * Single packable blocks amid noise may be missed too, but where they are as many as one in
 * INCOMPRESSIBLE_PART, a try soon meets one, and the run is over.
 *
 * Rejected: to guess from some bytes of each block.  It is work on each, and takes
 * repeated noise for noise.
 */
#ifndef NSPLIT_CAPTURE_INCOMPRESSIBLE_H
#define NSPLIT_CAPTURE_INCOMPRESSIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INCOMPRESSIBLE_PART = 128, INCOMPRESSIBLE_SKIP_MAX = 4 << 20 };

/* Belongs to who packs; all zero at first. */
struct incompressible {
	uint64_t bytes;
	uint64_t skip;			/* so many of the next are not tried */
	bool tries_all;			/* none is skipped */
};

/* Is the next block of len bytes to be stored untried?  If so, it is a part of the run. */
bool incompressible_skips(struct incompressible *run, size_t len);

/*
 * A block of len bytes was tried and became packed ones, 0: it could not be.  Returns packed
 * if that is a gain, and 0 if the block is to be stored.
 */
size_t incompressible_tried(struct incompressible *run, size_t len, size_t packed);

#endif
