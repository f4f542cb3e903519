// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readahead: a sequential reader finds the next records unpacked in the cache.
 *
 * Threads of its own load the records, so that no reader waits for data that it has not asked for.
 * A request that does not fit into the queue, or that fails, is dropped: the record is read when it
 * is needed.
 */
#ifndef NSPLIT_MOUNT_READAHEAD_H
#define NSPLIT_MOUNT_READAHEAD_H

#include "mount/cache.h"

/* The reads of one open file so far; several threads may serve it at once. */
struct sequence {
	pthread_mutex_t lock;
	/* Under the lock: */
	uint64_t end;			/* of the latest read, or of the furthest in the sequence */
	uint64_t length;		/* bytes read in sequence, less those read again */
	uint64_t requested;		/* the records before this offset were requested */
};

void sequence_init(struct sequence *sequence);
void sequence_free(struct sequence *sequence);

struct readahead;

/*
 * Starts the threads.  distance: bytes of the source to be ahead.  Everything passed is borrowed;
 * the threads take their buffers from the pool.
 */
enum status readahead_new(struct readahead **readahead, const struct set *set,
			  struct cache *cache, struct buffer_pool *pool, unsigned threads,
			  uint64_t distance, struct error *e);
/* Waits for the threads.  NULL is allowed. */
void readahead_free(struct readahead *r);

/* Notes a read of len bytes, and requests what comes next.  Never waits for the threads. */
void readahead_note(struct readahead *r, struct sequence *sequence, uint64_t offset, size_t len);

/* Waits until no request is left. */
void readahead_settle(struct readahead *r);

#endif
