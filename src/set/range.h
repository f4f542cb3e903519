// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Range reader: any bytes of the source out of a set, in any order.
 *
 * A set is read by any number of these at once, each of which belongs to one thread and
 * holds one record: what it reads next is cheap if it lies in the same one.
 */
#ifndef NSPLIT_SET_RANGE_H
#define NSPLIT_SET_RANGE_H

#include "set/reader.h"

struct range_reader {
	const struct set *set;		/* borrowed; without streams */
	struct record_reader record;
	const struct location *loaded;	/* whose record that is, perhaps a spare; NULL: none */
	uint8_t *block;			/* the last one that was unpacked; owned */
	uint32_t unpacked;		/* its number in the record; UINT32_MAX: none */
};

enum status range_reader_init(struct range_reader *r, const struct set *set, struct error *e);
void range_reader_free(struct range_reader *r);

/* What it holds is read again, as if it were used for the first time. */
void range_reader_forget(struct range_reader *r);

/*
 * Reads len bytes at offset, which lie within the source.  STATUS_MISSING: some of them are in
 * a hole, or unreadable; these and all behind them are not there.  A block that a record has not, or
 * that is damaged, is taken from its spares, and the error is the first one's if none has it.
 */
enum status range_read(struct range_reader *r, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e);

#endif
