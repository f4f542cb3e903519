// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading ahead: who reads on and on finds the next records unpacked already.
 *
 * A crew of its own does that, so that no reader waits for what it has not asked for.  What it is
 * asked for and cannot do at once, or fails in, is forgotten: that is read when it is wanted.
 */
#ifndef NSPLIT_MOUNT_AHEAD_H
#define NSPLIT_MOUNT_AHEAD_H

#include "mount/cache.h"

/* One open file's way through the source; several threads may work for it at once. */
struct stream {
	pthread_mutex_t lock;
	/* Under the lock: */
	uint64_t end;		/* of what was read last, or furthest */
	uint64_t run;		/* bytes that were read in a row, less those to and fro */
	uint64_t asked;		/* up to here the crew was asked */
};

void stream_init(struct stream *stream);
void stream_done(struct stream *stream);

struct ahead;

/*
 * Starts the threads.  distance: bytes of the source to be ahead.  What is handed over is borrowed,
 * and the hands are taken from those.
 */
enum status ahead_new(struct ahead **ahead, const struct set *set, struct cache *cache,
		      struct buffer_pool *pool, unsigned threads, uint64_t distance, struct error *e);
/* Waits for the threads.  NULL is none. */
void ahead_free(struct ahead *ahead);

/* Tells of a read of len bytes.  Never waits for the crew. */
void ahead_follow(struct ahead *ahead, struct stream *stream, uint64_t offset, size_t len);

/* Waits until nothing is left to do. */
void ahead_settle(struct ahead *ahead);

#endif
