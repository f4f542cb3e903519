// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Layer reader: reads any bytes of the source from a set with layers; behind range.h.
 *
 * It keeps what is known of one cell, and one record.  At first it reads only the heads of the
 * records of the cell.  If a body turns out to be damaged, it reads all records of the cell once, and
 * knows then what else has the same bytes.
 */
#ifndef NSPLIT_SET_LAYER_READER_H
#define NSPLIT_SET_LAYER_READER_H

#include "set/cell.h"

/* Belongs to one thread. */
struct layer_reader {
	const struct set *set;		/* borrowed */
	struct cell cell;
	uint64_t number;		/* of the cell; UINT64_MAX: none is known */
	bool checked;			/* the bodies were checked, too */
	struct error damage;		/* the first that was found in the cell; STATUS_OK: none */
	bool unsure;			/* a record of the cell could not be read, perhaps only now */
	struct record_reader record;
	size_t loaded;			/* its index in the map; SIZE_MAX: none */
	struct run_place place;		/* the latest run of it that was needed */
	uint8_t *block;			/* the latest block that was unpacked; owned */
	uint32_t unpacked;		/* its number in the record; UINT32_MAX: none */
	struct layer_reader *targets;	/* of aliases; made when first needed; owned */
};

enum status layer_reader_new(struct layer_reader **reader, const struct set *set,
			     struct error *e);
void layer_reader_free(struct layer_reader *r);

/* As range_read() and range_reader_forget().  What was left out reads as zeros. */
enum status layer_read(struct layer_reader *r, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e);
void layer_reader_forget(struct layer_reader *r);

/*
 * Reads what an alias refers to: up to *len bytes at offset, within one granule or more; *len becomes
 * the number that was read or, after a failure, that is affected.  STATUS_MISSING: no intact record
 * stores them; *unreadable: they could not be read during the capture.
 */
enum status layer_read_target(struct layer_reader *r, uint64_t offset, size_t *len, uint8_t *dst,
			      bool *unreadable, struct error *e);

#endif
