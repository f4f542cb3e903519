// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A cache of checked records of a set, shared by all threads.
 *
 * Records that are read at random are kept packed: more of them fit, a block is unpacked in
 * microseconds, and the kernel caches the unpacked pages.  Records that are read ahead are
 * unpacked, since all of their blocks will be read.
 *
 * The first thread that needs a record loads it, and others wait for that.  One lock covers the
 * cache; it is not held while a record is read, checked, unpacked or copied.
 *
 * A damaged record is reported once and not tried again.  A record that could not be read because
 * of a system error is reported once, too, but is tried again: a network disk may come back.
 *
 * The limit should allow for several of the largest records.  A record that does not fit is read
 * again for each of its pages.
 */
#ifndef NSPLIT_MOUNT_CACHE_H
#define NSPLIT_MOUNT_CACHE_H

#include "mount/loaded.h"

/*
 * The records of a cache, up to a limit of memory, and the order in which they are evicted.
 *
 * Knows nothing about threads: the caller holds the lock of the cache.
 */

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

/*
 * CACHED_UNPACKED is a request: a record stays packed if not all blocks can be unpacked, or memory
 * is short.
 */
enum cached_form { CACHED_PACKED, CACHED_UNPACKED };

struct cache;

struct cache_settings {
	/*
	 * Bytes of all records.  The cache exceeds it by the records that are in use, at most one
	 * per thread, and by two spare buffers of chunk_size for records that are read ahead.
	 */
	uint64_t limit;
	/*
	 * Called once for each record that cannot be used completely, and once if a system error
	 * prevents reading it; by any thread, but never by two at once.  What is missing or
	 * unreadable is not reported here: see export/set_absent.h.
	 */
	void (*damaged)(void *arg, const struct error *e);
	void *arg;
};

/* The set is borrowed and has no streams. */
enum status cache_new(struct cache **cache, const struct set *set,
		      const struct cache_settings *settings, struct error *e);
/* All records must have been released.  NULL is allowed. */
void cache_free(struct cache *cache);

/*
 * Takes a record for use; location is its index in the map of the set.  The record is loaded in this form if
 * it is not in the cache.  STATUS_DAMAGED: it is damaged, which was reported; later calls return at once.
 * STATUS_SYSTEM: it cannot be read now and is tried again later.
 */
enum status cache_take(struct cache *cache, struct buffers *buffers, size_t location,
		       enum cached_form form, struct cached **cached, struct error *e);

/*
 * Releases a record.  finished: the reader has read to its end.  An unpacked record is then evicted
 * first, so that a sequential reader does not displace what others read repeatedly.
 */
void cache_release(struct cache *cache, struct cached *cached, bool finished);

/* Reports damage to a record, or that it cannot be read now, unless that was done before. */
void cache_report(struct cache *cache, size_t location, const struct error *e);

/*
 * True if loading the record is of no use: it is in the cache, being loaded, or known to fail now.
 */
bool cache_has(struct cache *cache, size_t location);

/* The largest size with which a record of the set counts towards the limit. */
uint64_t cache_record_max(const struct set *set);

/* Bytes of all records in the cache. */
uint64_t cache_used(struct cache *cache);

/* Reads from a record that is in use: see loaded_read(). */
enum status cached_read(const struct cached *cached, struct buffers *buffers, uint64_t at,
			size_t len, uint8_t *dst, struct error *e);

#endif
