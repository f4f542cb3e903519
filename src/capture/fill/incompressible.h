// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a block is stored without an attempt to pack it.
 *
 * In data that cannot be compressed, the attempts are most of the work.  So after a long sequence
 * of stored blocks, some are stored untried before the next attempt: 1 / INCOMPRESSIBLE_PART of the
 * bytes of the sequence, and INCOMPRESSIBLE_SKIP_MAX at most.  That is also what is missed when
 * compressible data follows.  Single compressible blocks among others may be missed too, but if one
 * block in INCOMPRESSIBLE_PART is compressible, an attempt soon meets one and ends the sequence.
 *
 * Rejected: to guess from some bytes of each block.  This is work for each block, and mistakes
 * repeated noise for noise.
 */
#ifndef NSPLIT_CAPTURE_FILL_INCOMPRESSIBLE_H
#define NSPLIT_CAPTURE_FILL_INCOMPRESSIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INCOMPRESSIBLE_PART = 128, INCOMPRESSIBLE_SKIP_MAX = 4 << 20 };

/* Belongs to a packer; all zero at first. */
struct incompressible {
	uint64_t bytes;			/* stored since a block was packed */
	uint64_t skip;			/* bytes still to be stored untried */
	/*
	 * Every block is tried.  For --stripe: otherwise a member would depend on which worker
	 * packed which chunks before.
	 */
	bool tries_all;
};

/* Is the next block, of len bytes, to be stored untried?  If so, it is counted as stored. */
bool incompressible_skips(struct incompressible *i, size_t len);

/*
 * An attempt to pack a block of len bytes gave packed bytes; 0: it failed.  Returns packed if that
 * is a gain, and 0 if the block is to be stored.
 */
size_t incompressible_tried(struct incompressible *i, size_t len, size_t packed);

#endif
