// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A record of a set in memory, checked.
 *
 * It is packed, as it is stored, or unpacked.  A record of which a block cannot be unpacked is always packed.
 */
#ifndef NSPLIT_MOUNT_LOADED_H
#define NSPLIT_MOUNT_LOADED_H

#include <pthread.h>

#include "set/read/reader.h"
#include "set/read/resolve.h"

/*
 * The memory that is needed to answer one read request, which is too large to be allocated for
 * each.
 *
 * Any thread may receive a request, so buffers are taken from a pool.  The pool grows to the
 * largest number of requests that were ever answered at the same time.
 */

struct buffers {
	struct record_reader reader;	/* raw is borrowed from a record in memory: see loaded.c */
	uint8_t *block;			/* fits a block of any set; owned */
	/* What it holds, since the next page is often in the same one: block number block_number of this record. */
	const struct member *block_member;	/* NULL: nothing */
	uint64_t block_record;		/* its offset in the member */
	uint32_t block_number;
	uint8_t *page;			/* fits a page of any core; owned */
	struct resolver resolver;	/* see buffers_resolver() */
	uint8_t *answer;		/* see buffers_answer(); owned */
	size_t answer_size;
	struct buffers *next;		/* in the list of idle buffers */
};

struct buffer_pool {
	pthread_mutex_t lock;
	struct buffers *idle;		/* under the lock; owned */
};

void buffer_pool_init(struct buffer_pool *pool);
/* All buffers must have been returned. */
void buffer_pool_free(struct buffer_pool *pool);

/* NULL if memory is short. */
struct buffers *buffer_pool_take(struct buffer_pool *pool);
void buffer_pool_return(struct buffer_pool *pool, struct buffers *buffers);

/* NULL if memory is short. */
struct resolver *buffers_resolver(struct buffers *buffers, const struct set *set);

/* Memory for an answer of len bytes, owned by the buffers.  NULL if memory is short. */
uint8_t *buffers_answer(struct buffers *buffers, size_t len);

/* All zero when nothing is loaded. */
struct loaded {
	uint8_t *bytes;			/* the record, or its blocks; owned */
	bool unpacked;
	struct record record;
	const struct member *member;	/* where it was read, */
	uint64_t offset;		/* and at which offset */
};

/*
 * True if another attempt may succeed: a system error may be temporary, and a member that has
 * become shorter may be restored.  Damage is permanent.
 */
bool loaded_may_recover(enum status status);

/* Loads the record at a location. */
enum status loaded_load(struct loaded *l, const struct set *set, size_t location, struct buffers *buffers,
			struct error *e);

/*
 * Unpacks a loaded record into plain, a buffer from malloc() of chunk_size bytes, and takes it
 * over.  Returns false, with the record as it was, if a block cannot be unpacked.
 */
bool loaded_unpack(struct loaded *l, struct buffers *buffers, uint8_t *plain);

/* Copies len bytes at an offset of the stored bytes. */
enum status loaded_read(const struct loaded *l, struct buffers *buffers, uint64_t at, size_t len,
			uint8_t *dst, struct error *e);

#endif
