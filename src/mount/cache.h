// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cache: records of a set that are kept in memory, checked, for all threads.
 *
 * What is asked for here and there is kept packed: more of it fits, a block of it is unpacked in
 * microseconds, and the kernel keeps the blocks themselves (page cache) as long as it likes.  What
 * is read ahead is kept plain, since all of it will be asked for at once.
 *
 * A record is loaded by the thread that wants it first; others that want it wait for that.
 * One lock covers all; it is not held while something is read, checked, unpacked or copied.
 *
 * A damaged record is reported once and not tried again.  A record that could not be read because of
 * a system error is reported once, too, but it is tried again: a network disk may come back.
 */
#ifndef NSPLIT_MOUNT_CACHE_H
#define NSPLIT_MOUNT_CACHE_H

#include "mount/buffers.h"

enum kept_form { KEPT_PACKED, KEPT_PLAIN };

struct cache;
struct kept;		/* a record in it */

struct cache_settings {
	/*
	 * Bytes of all records.  More are kept only while that many are being read, so at most one
	 * a thread; and two buffers of a chunk each, for what is read ahead next.
	 */
	uint64_t limit;
	/*
	 * Called once for each record that cannot be used in whole, and once if a system error keeps
	 * it from being read; from any thread, one at a time.  Not called for holes and unreadable
	 * blocks: see export/missing.h.
	 */
	void (*damaged)(void *arg, const struct error *e);
	void *arg;
};

/* The set, which has no streams, is borrowed. */
enum status cache_new(struct cache **cache, const struct set *set,
		      const struct cache_settings *settings, struct error *e);
/* All records are back.  NULL is none. */
void cache_free(struct cache *cache);

/*
 * The record of entry place of the set's map, which is no spare: as it is kept, or else loaded, in
 * this form.  One with unreadable blocks, or of which a block does not unpack, is packed all the
 * same, and so it is if memory for the other form is short.  A damaged one is taken from its spares;
 * if all are damaged, that is reported, and later calls return STATUS_DAMAGED at once.  STATUS_SYSTEM:
 * it cannot be read now and is tried again later; what a spare of it lacks does not count as missing.
 */
enum status cache_take(struct cache *cache, struct buffers *buffers, size_t location, enum kept_form form,
		       struct kept **kept, struct error *e);

/*
 * read_out: what was asked for ends where the record does.  A plain one, which was read ahead, has
 * done its service then, and goes first: who reads all of a core shall not push out what is wanted
 * again and again.
 */
void cache_give_back(struct cache *cache, struct kept *kept, bool read_out);

/*
 * A block of it does not unpack, though its checksum is right.  True: there is a spare, which
 * whoever takes it next gets.  It is still to be given back.
 */
bool cache_refuse(struct cache *cache, struct kept *kept);

/* Tells of damage to the record at a place, unless that was done before. */
void cache_report(struct cache *cache, size_t location, const struct error *e);

/* Is it kept, being loaded, or known to be of no use, if only for now? */
bool cache_has(struct cache *cache, size_t location);

/* What the largest record of a set counts for, at most. */
uint64_t cache_cost(const struct set *set);

/* Bytes of all that are kept. */
uint64_t cache_used(struct cache *cache);

/*
 * Copies len bytes at an offset of the source, which lie within the record.  Unreadable blocks are
 * STATUS_MISSING, or with zeros read as such.
 */
enum status kept_read(const struct kept *kept, struct buffers *buffers, uint64_t offset, size_t len,
		      bool zeros, uint8_t *dst, struct error *e);

#endif
