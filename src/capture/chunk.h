// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chunks: the unit of work, and the pool that they come from.
 *
 * A chunk is the record in the making: its bytes are the record as it will
 * lie in a member.  The pool is all the memory that grows with the load; it is
 * taken at the start, and when it is empty, workers wait.
 */
#ifndef NSPLIT_CAPTURE_CHUNK_H
#define NSPLIT_CAPTURE_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "codec/codec.h"
#include "format/record.h"

struct chunk {
	struct chunk *next;		/* in a list; who holds the list, holds this */
	uint64_t index;			/* which chunk of the source */
	uint8_t *bytes;			/* UNIT aligned, chunk_capacity() bytes, of the pool */
	struct record record;		/* of what bytes holds */
	uint32_t filled;		/* bytes of the source packed so far */
	uint32_t blocks[BLOCK_KINDS];
	unsigned preset;			/* by which they were packed */
};

/* A packed chunk into the memory of another one of the same pool. */
void chunk_copy(struct chunk *to, const struct chunk *from);

/* First in, first out.  Who may touch it is said where it is declared. */
struct chunk_list {
	struct chunk *first;
	struct chunk **end;
};

void chunk_list_init(struct chunk_list *list);
void chunk_list_append(struct chunk_list *list, struct chunk *chunk);
void chunk_list_prepend(struct chunk_list *list, struct chunk *chunk);
/* Takes out the chunk that *link points to, which is in the list. */
struct chunk *chunk_list_remove(struct chunk_list *list, struct chunk **link);

struct chunk_pool {
	struct chunk *chunks;
	uint8_t *memory;
	size_t memory_size;
	unsigned count;
};

/*
 * Bytes of record memory a chunk needs: the longest record, and room behind it
 * for a block that grows to block_bound when it is packed.
 */
size_t chunk_capacity(size_t block_bound, uint32_t block_size, uint32_t chunk_size);

/* Puts count fresh chunks on the list. */
enum status chunk_pool_init(struct chunk_pool *pool, unsigned count, size_t capacity,
			    struct chunk_list *list, struct error *e);
void chunk_pool_free(struct chunk_pool *pool);

#endif
