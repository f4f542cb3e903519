// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Range reader: reads any bytes of the source from a set, in any order.
 *
 * A range reader belongs to one thread; a set can have any number of them.  It keeps one record in
 * memory, so the next read is cheap if it needs the same record.
 */
#ifndef NSPLIT_SET_RANGE_H
#define NSPLIT_SET_RANGE_H

#include "set/reader.h"

struct layer_reader;

struct range_reader {
	const struct set *set;		/* borrowed; without streams */
	struct record_reader record;
	const struct location *loaded;	/* of that record, perhaps a duplicate; NULL: none */
	uint8_t *block;			/* the latest block that was unpacked; owned */
	uint32_t unpacked;		/* its number in the record; UINT32_MAX: none */
	struct layer_reader *layers;	/* for a set with layers, instead of the above; owned */
};

enum status range_reader_init(struct range_reader *r, const struct set *set, struct error *e);
void range_reader_free(struct range_reader *r);

/* Drops the record, so that the next read reads it again. */
void range_reader_forget(struct range_reader *r);

/*
 * Reads len bytes at offset, which must be within the source.  A block that is unreadable or
 * damaged in one record is taken from a duplicate; if none has it, the error is that of the first.
 * STATUS_MISSING: a byte is in a hole, or unreadable; dst is valid only before that byte.  What was
 * left out on purpose reads as zeros.
 */
enum status range_read(struct range_reader *r, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e);

#endif
