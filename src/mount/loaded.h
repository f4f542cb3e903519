// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A record of a set in memory, checked.
 *
 * It is packed, as it is stored, or unpacked.  A record of which a block is unreadable or cannot be
 * unpacked is always packed.
 */
#ifndef NSPLIT_MOUNT_LOADED_H
#define NSPLIT_MOUNT_LOADED_H

#include "mount/buffers.h"

/* All zero when nothing is loaded. */
struct loaded {
	uint8_t *bytes;			/* the record, or its blocks; owned */
	bool unpacked;
	uint8_t copy;			/* 0, or the number of the duplicate that was loaded */
	struct record record;
	const struct member *member;	/* where it was read, */
	uint64_t offset;		/* and at which offset */
};

/*
 * The number of copies of a record: its entry in the map and the duplicates.  Always less than
 * UINT8_MAX, since a set has fewer members than that.
 */
uint8_t loaded_copies(const struct set *set, size_t location);

/*
 * True if another attempt may succeed: a system error may be temporary, and a member that has
 * become shorter may be restored.  Damage is permanent.
 */
bool loaded_may_recover(enum status status);

/*
 * Loads the first intact copy of the record at a location, starting with the given copy.
 *
 * If no copy is intact, the error is that of the first copy, or the first temporary one if there is
 * any.  STATUS_NO_MEMORY ends the search, since it says nothing about the copies.  *skipped: a copy
 * had a temporary error and was not used.
 */
enum status loaded_load(struct loaded *l, const struct set *set, size_t location, uint8_t copy,
			struct buffers *buffers, bool *skipped, struct error *e);

/*
 * Unpacks a loaded record into plain, a buffer from malloc() of chunk_size bytes, and takes it
 * over.  Returns false, with the record as it was, if a block cannot be unpacked: the others are
 * still good.
 */
bool loaded_unpack(struct loaded *l, struct buffers *buffers, uint8_t *plain);

/*
 * Copies len bytes at an offset of the source, which lie within the record.  Unreadable blocks
 * return STATUS_MISSING or, with zeros, read as zeros.
 */
enum status loaded_read(const struct loaded *l, struct buffers *buffers, uint64_t offset,
			size_t len, bool zeros, uint8_t *dst, struct error *e);

#endif
