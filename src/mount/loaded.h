// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A record of a set in memory, checked.
 *
 * It is packed, as it is stored, or unpacked.  A record of which a block cannot be unpacked is always packed.
 */
#ifndef NSPLIT_MOUNT_LOADED_H
#define NSPLIT_MOUNT_LOADED_H

#include "mount/buffers.h"

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
