// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hands: what a thread needs to answer a request, which is too much to be made for each.
 *
 * Any thread may come with a request, so hands are lent: there are as many as were ever busy at
 * once.
 */
#ifndef NSPLIT_MOUNT_BUFFERS_H
#define NSPLIT_MOUNT_BUFFERS_H

#include <pthread.h>

#include "set/reader.h"

struct buffers {
	struct record_reader reader;	/* its record is lent to it: see cache.c */
	uint8_t *block;			/* room for a block of any set; owned */
	uint8_t *page;			/* room for a page of any core; owned */
	uint8_t *answer;		/* buffers_answer(); owned */
	size_t room;			/* bytes of it */
	struct buffers *next;		/* among those that are idle */
};

struct buffer_pool {
	pthread_mutex_t lock;
	struct buffers *idle;		/* under the lock; owned */
};

void buffer_pool_init(struct buffer_pool *pool);
/* All hands are back. */
void buffer_pool_free(struct buffer_pool *pool);

/* NULL: there is no memory for one. */
struct buffers *buffer_pool_take(struct buffer_pool *pool);
void buffer_pool_return(struct buffer_pool *pool, struct buffers *buffers);

/* Room for len bytes, which is the hand's; NULL: there is no memory for it. */
uint8_t *buffers_answer(struct buffers *buffers, size_t len);

#endif
