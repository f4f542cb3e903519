// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The records of a cache, up to a limit of memory, and the order in which they are evicted.
 *
 * Knows nothing about threads: the caller holds the lock of the cache.
 */
#ifndef NSPLIT_MOUNT_STORE_H
#define NSPLIT_MOUNT_STORE_H

#include "mount/loaded.h"

/* Only a READY record is in the order of eviction and counts towards the limit. */
enum cached_state { LOADING, READY, FAILED };

/* FAILED records are not in the store; their last user frees them. */
struct cached {
	/* Constant once the state is not LOADING: */
	size_t location;		/* index in the map of the set */
	struct loaded loaded;
	size_t size;			/* what it counts towards the limit */
	enum status status;		/* why it FAILED */
	/* Under the lock: */
	enum cached_state state;
	unsigned users;			/* it is not evicted while it has any */
	struct cached *newer, *older;	/* in the order of eviction */
};

void cached_free(struct cached *cached);

/* The size by which a record counts: all its memory, with the overhead of the heap. */
size_t cached_size(const struct cached *cached);

/*
 * Buffers of evicted unpacked records, for the next ones.  New memory costs a page fault for each
 * page, which takes a sixth of the speed of a sequential reader.
 */
enum { SPARE_BUFFERS = 2 };

struct store {
	uint64_t limit, used;		/* bytes */
	struct cached **by_location;	/* NULL: not in the store; owned */
	struct cached *newest, *oldest;
	uint8_t *spares[SPARE_BUFFERS];	/* chunk_size bytes each; owned */
	unsigned spares_count;
};

/* False: memory is short.  Call store_free() in any case. */
bool store_init(struct store *s, size_t locations, uint64_t limit);
void store_free(struct store *s);

/* Adds a LOADING record with one user.  NULL if memory is short. */
struct cached *store_add(struct store *s, size_t location);

/* The record is READY, and becomes the newest.  Evicts others. */
void store_ready(struct store *s, struct cached *cached);
/* The record FAILED: removes it, but does not free it. */
void store_remove(struct store *s, struct cached *cached);

/* Change the place of a READY record in the order of eviction. */
void store_make_newest(struct store *s, struct cached *cached);
void store_make_oldest(struct store *s, struct cached *cached);

/* Frees the oldest records without users until the limit is kept, or none is left. */
void store_evict(struct store *s);

/* A spare buffer, or NULL. */
uint8_t *store_take_spare(struct store *s);

#endif
