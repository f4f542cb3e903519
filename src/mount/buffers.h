// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory that is needed to answer one read request, which is too large to be allocated for
 * each.
 *
 * Any thread may receive a request, so buffers are taken from a pool.  The pool grows to the
 * largest number of requests that were ever answered at the same time.
 */
#ifndef NSPLIT_MOUNT_BUFFERS_H
#define NSPLIT_MOUNT_BUFFERS_H

#include <pthread.h>

#include "set/read/reader.h"
#include "set/read/resolve.h"

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

#endif
