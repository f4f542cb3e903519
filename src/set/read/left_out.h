// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The granules of a source that were left out, stored in little memory.
 *
 * Each cell is divided into blocks of 256 granules, which is 1 MiB of the source.  A block takes one byte,
 * and another one for each granule that is an exception, of either kind;
 * from 32 exceptions on, the block has a bit for each granule.  So with 8 pages scattered in each MiB, 9
 * bytes describe a MiB, where bits alone would take 32; and never more than 33.
 */
#ifndef NSPLIT_SET_READ_LEFT_OUT_H
#define NSPLIT_SET_READ_LEFT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LEFT_OUT_ALIGN = 256 };		/* granules in a block */

/* The blocks of a cell. */
struct left_out_cell {
	uint64_t number;
	uint64_t at;			/* of the first one in bytes; UINT64_MAX: all of the cell is left out */
};

/* All zero but for the first two fields when nothing is left out. */
struct left_out {
	uint32_t cell_size;
	uint64_t source_size;
	struct left_out_cell *cells;	/* those with something left out, by number; owned */
	size_t cells_count;
	uint8_t *bytes;			/* the blocks of all cells; owned */
	size_t bytes_count, bytes_capacity;
};

void left_out_free(struct left_out *l);
/* Forgets all cells, and keeps the memory for others. */
void left_out_clear(struct left_out *l);

/*
 * Adds a cell behind all others.  bits has a bit for each of its granules, and 0 behind them up to a
 * multiple of LEFT_OUT_ALIGN.  False: out of memory.
 */
bool left_out_add(struct left_out *l, uint64_t number, const uint64_t *bits);

/* Adds the cells of other behind all others.  False: out of memory. */
bool left_out_append(struct left_out *l, const struct left_out *other);

/*
 * The next bytes at or after *offset that were left out: sets *offset to the first, and *length, which
 * may end before the last.  False: there are none.
 */
bool left_out_next(const struct left_out *l, uint64_t *offset, uint64_t *length);

#endif
