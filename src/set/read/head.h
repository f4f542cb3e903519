// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The head of a record: its header and run list, which say what is where.  It is read and checked without
 * the payload (doc/format.md, section 5).
 */
#ifndef NSPLIT_SET_READ_HEAD_H
#define NSPLIT_SET_READ_HEAD_H

#include "format/runs.h"
#include "set/set.h"

/* Belongs to one thread. */
struct record_head {
	uint8_t *raw;			/* as stored, up to the block table or further; owned */
	struct record record;
};

enum status record_head_init(struct record_head *h, const struct set *set, struct error *e);
void record_head_free(struct record_head *h);

/* Reads and checks the head of the record at a location.  The error names file and offset. */
enum status record_head_load(struct record_head *h, const struct set *set,
			     const struct location *location, struct error *e);

#endif
