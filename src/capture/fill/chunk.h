// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chunks, the unit of work, and the pool that they come from.
 *
 * A chunk is a record under construction: its bytes are the record as it will be written to a
 * member.  The pool is allocated at the start and bounds the memory of a capture: when no chunk is
 * free, workers wait.
 */
#ifndef NSPLIT_CAPTURE_FILL_CHUNK_H
#define NSPLIT_CAPTURE_FILL_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "capture/fill/ledger.h"
#include "codec/codec.h"
#include "format/record.h"

/* The granules of a record, by state, in bytes. */
struct layer_amounts {
	/* Of layer 1: stored, or named if another layer stores the class; of others: stored. */
	uint32_t of_class[CLASSES];
	uint32_t stored;		/* all of them; or zeros */
	uint32_t unreadable;
};

struct chunk {
	struct chunk *next;		/* in a list, and covered by the list's lock */
	uint64_t index;			/* its number in the source */
	uint8_t *bytes;			/* aligned to ALIGNMENT, chunk_capacity() bytes, of the pool */
	struct record record;		/* the header of the record in bytes */
	uint32_t filled;		/* bytes of the source packed so far */
	uint32_t row;			/* of blocks that are packed as columns; 0: they are not */
	uint32_t blocks[BLOCK_KINDS];
	unsigned preset;		/* by which the blocks were packed */
	struct unit_run run;		/* the units that it holds */
	struct unit_run rest;		/* what was claimed as well, and did not fit */
	/* Of layer 1: a bit for each class that is named in unit run.first + i. */
	uint16_t named[LEDGER_CELL];
	struct layer_amounts amounts;
};

/* Copies a packed chunk to another one of the same pool. */
void chunk_copy(struct chunk *to, const struct chunk *from);

/* First in, first out.  Its lock is named where the list is declared. */
struct chunk_list {
	struct chunk *first;
	struct chunk **end;
};

void chunk_list_init(struct chunk_list *list);
void chunk_list_append(struct chunk_list *list, struct chunk *chunk);
void chunk_list_prepend(struct chunk_list *list, struct chunk *chunk);
/* Removes and returns the chunk that *link points to; link is in the list. */
struct chunk *chunk_list_remove(struct chunk_list *list, struct chunk **link);

struct chunk_pool {
	struct chunk *chunks;
	uint8_t *memory;
	size_t memory_size;
	unsigned count;
};

/*
 * Bytes of memory that a chunk needs: the longest record of up to this number of runs, and space behind it
 * for a block that grows to block_bound when it is packed.
 */
size_t chunk_capacity(size_t block_bound, uint32_t block_size, uint32_t chunk_size, uint32_t runs);

/* Allocates count chunks and puts them on the list. */
enum status chunk_pool_init(struct chunk_pool *pool, unsigned count, size_t capacity,
			    struct chunk_list *list, struct error *e);
void chunk_pool_free(struct chunk_pool *pool);

#endif
