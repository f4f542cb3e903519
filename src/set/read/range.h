// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Range reader: reads any bytes of the source from a set, in any order.
 *
 * A range reader belongs to one thread; a set can have any number of them.  It keeps one record in
 * memory, so the next read is cheap if it needs the same record.
 */
#ifndef NSPLIT_SET_READ_RANGE_H
#define NSPLIT_SET_READ_RANGE_H

#include "set/dump.h"
#include "set/read/reader.h"
#include "set/read/resolve.h"

struct range_reader {
	const struct set *set;		/* borrowed; without streams */
	struct resolver resolver;
	struct record_reader record;
	const struct location *loaded;	/* of that record; NULL: none */
	uint8_t *block;			/* the latest block that was unpacked; owned */
	uint64_t unpacked;		/* its number in the record, or in a dump; UINT64_MAX: none */
};

enum status range_reader_init(struct range_reader *r, const struct set *set, struct error *e);
void range_reader_free(struct range_reader *r);

/* Drops the record, so that the next read reads it again. */
void range_reader_forget(struct range_reader *r);

/*
 * Reads len bytes at offset, which must be within the source.  What is unreadable or damaged in one record is
 * taken from another, if there is one; otherwise the error is that of the first.
 * STATUS_MISSING: a byte is in a hole, or unreadable; dst is valid only before that byte.  What was
 * left out on purpose reads as zeros.
 */
enum status range_read(struct range_reader *r, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e);

/*
 * Sets what begins at offset, as resolve() does, and reads it to dst if it is stored.  If a record
 * turns out to be damaged, or any reader found that before, the extent says what else has the bytes, or that
 * they are missing; *e then says why.  The only failure is STATUS_NO_MEMORY.
 */
enum status range_read_extent(struct range_reader *r, uint64_t offset, size_t len, uint8_t *dst,
			      struct extent *x, struct error *e);

#endif
