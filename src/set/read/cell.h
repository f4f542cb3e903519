// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cell: what each granule of a cell of the source is, by the records of the set (doc/format.md, section
 * 10).
 *
 * The records of the cell are added in the order of the map: lower layers first.  So the first
 * intact record that stores a granule is the one that counts, whatever records follow; and the
 * order in which the other rules of section 10 find their records does not matter.
 *
 * Second places are not followed here: what they refer to is in any other cell (set/read/resolve.h).
 */
#ifndef NSPLIT_SET_READ_CELL_H
#define NSPLIT_SET_READ_CELL_H

#include "format/runs.h"
#include "set/read/extent.h"
#include "set/set.h"

/*
 * The head of a record: its header and run list, which say what is where.  It is read and checked without
 * the payload (doc/format.md, section 5).
 */

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

/* A cell of 16 MiB has 4096: 32 KiB. */
struct granule {
	uint32_t kind : 4;		/* enum extent_kind */
	uint32_t class_number : 4;
	uint32_t record : 24;		/* that decided the kind: its index in the cell */
	uint32_t at;			/* in the stored bytes of that record */
};

/* Belongs to one thread. */
struct set_cell {
	const struct set *set;		/* borrowed */
	uint64_t offset;		/* of the cell in the source */
	uint32_t length;		/* bytes; the last cell may be shorter */
	uint32_t count;			/* granules */
	size_t first, end;		/* its records in the map of the set */
	struct granule *granules;	/* owned */
	struct record_head head;	/* the latest that was read */
};

enum status cell_init(struct set_cell *c, const struct set *set, struct error *e);
void cell_free(struct set_cell *c);

/* The cells of a set. */
uint64_t cell_number_end(const struct set *set);

/*
 * The first cell, from this one on, with a record, or with a second place of a cell with a record;
 * cell_number_end() if there is none.  Of the cells between, nothing is known.
 */
uint64_t cell_number_next(const struct set *set, uint64_t number);

/* Begins with cell number; no record is added yet. */
void cell_begin(struct set_cell *c, uint64_t number);

/*
 * Adds the record at index i of the map; raw has its checked run list.  whole: its body is intact.
 * Records must be added by increasing index.
 */
void cell_add(struct set_cell *c, size_t i, const struct record *record, const uint8_t *raw,
	      bool whole);
/* Reads the head of the record at index i and adds it.  After a failure, nothing was added. */
enum status cell_add_head(struct set_cell *c, size_t i, bool whole, struct error *e);
/*
 * Adds the record without reading it, if its index entry says all that its runs do (doc/format.md, section
 * 8).  False: nothing was added.  For those who want to know what is where, and read no stored bytes:
 * whether the record is intact is not known.  stored_only: only if all of its range is stored, which whoever
 * reads these bytes will see.
 */
bool cell_add_entry(struct set_cell *c, size_t i, bool stored_only);
/* The same, but sets what the record alone says of its range. */
bool cell_entry_extent(const struct set *set, size_t i, struct extent *x);

/* Overrides what the records say of an extent in a second place. */
void cell_set(struct set_cell *c, const struct extent *x);

/* Sets what begins at offset, up to the byte before to.  False: the cell ends before offset. */
bool cell_extent(const struct set_cell *c, uint64_t offset, uint64_t to, struct extent *x);

/* Sets what a run of the record at index i is, if no other record has its granules. */
void cell_extent_of_run(const struct set *set, size_t i, const struct run_place *place, struct extent *x);

#endif
