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

#include "set/read/reader.h"
#include "set/read/range.h"

/*
 * The memory that is needed to answer one read request, which is too large to be allocated for
 * each.
 *
 * Any thread may receive a request, so the cache keeps idle buffers.  There are as many as requests
 * were ever answered at the same time.
 */
struct buffers {
	struct record_reader reader;	/* raw is borrowed from a record in memory: see lend() */
	uint8_t *block;			/* fits a block of any set; owned */
	/* What it holds, since the next page is often in the same one: block number block_number of this record. */
	const struct member *block_member;	/* NULL: nothing */
	uint64_t block_record;		/* its offset in the member */
	uint32_t block_number;
	uint8_t *page;			/* fits a page of any core; owned */
	struct resolver resolver;	/* reports damage to the cache */
	uint8_t *answer;		/* see buffers_answer(); owned */
	size_t answer_size;
	struct buffers *next;		/* in the list of idle buffers */
};

/* Memory for an answer of len bytes, owned by the buffers.  NULL if memory is short. */
uint8_t *buffers_answer(struct buffers *buffers, size_t len);

/*
 * A record in memory, checked: packed, as it is stored, or unpacked.  One of which a block cannot be unpacked is always
 * packed.  All zero when nothing is loaded.
 */
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
	 * unreadable is not reported here: see export/set_core.h.
	 */
	void (*damaged)(void *arg, const struct error *e);
	void *arg;
};

/* The set is borrowed. */
enum status cache_new(struct cache **cache, const struct set *set,
		      const struct cache_settings *settings, struct error *e);
/* Ends the threads that read ahead.  All records and buffers must have been returned.  NULL is allowed. */
void cache_free(struct cache *cache);

/* NULL if memory is short. */
struct buffers *cache_take_buffers(struct cache *cache);
void cache_return_buffers(struct cache *cache, struct buffers *buffers);

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

/* Reports damage to a record, or that it cannot be read now, unless that was done before; arg is the cache. */
void cache_report(void *arg, size_t location, const struct error *e);

/*
 * True if loading the record is of no use: it is in the cache, being loaded, or known to fail now.
 */
bool cache_has(struct cache *cache, size_t location);

/* The largest size with which a record of the set counts towards the limit. */
uint64_t cache_record_max(const struct set *set);

/* Bytes of all records in the cache. */
uint64_t cache_used(struct cache *cache);

/* Copies len bytes at an offset of the stored bytes of a record that is in use. */
enum status cached_read(const struct cached *cached, struct buffers *buffers, uint64_t at,
			size_t len, uint8_t *dst, struct error *e);

/* --- readahead ----------------------------------------------------------- */

/*
 * A sequential reader finds the next records unpacked in the cache.
 *
 * Threads of its own load the records, so that no reader waits for data that it has not asked for.
 * A request that does not fit into the queue, or that fails, is dropped: the record is read when it
 * is needed.
 */

/* Starts the threads.  distance: bytes of the source to be ahead. */
enum status cache_read_ahead(struct cache *cache, unsigned threads, uint64_t distance, struct error *e);

/*
 * Notes that a reader reads len bytes, and requests what comes next, if there are threads.  Never waits for them.  Which
 * reader it is, shows in what was read before.
 */
void cache_note_read(struct cache *cache, uint64_t offset, size_t len);

/* Waits until no request is left. */
void cache_settle(struct cache *cache);

#endif
