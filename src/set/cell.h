// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cell: what each granule of a cell of a set with layers is (doc/format.md, section 18).
 *
 * The records of the cell are added in the order of the map: lower layers first.  So the first
 * intact record that stores a granule is the one that counts, whatever records follow; and the
 * order in which the other rules of section 18 find their records does not matter.
 *
 * An alias is not resolved here: its bytes are in any other cell.
 */
#ifndef NSPLIT_SET_CELL_H
#define NSPLIT_SET_CELL_H

#include "set/head.h"
#include "set/reader.h"

/* The state of a granule by the records so far; a greater state outweighs a smaller one. */
enum granule_state {
	GRANULE_UNKNOWN,		/* no record of layer 1 covers it: missing */
	GRANULE_NAMED,			/* left out, or missing: see cell_content() */
	GRANULE_UNREADABLE,
	GRANULE_DAMAGED,		/* stored by records with damaged bodies only: missing */
	GRANULE_ALIAS,
	GRANULE_STORED,
};

/* A cell of 16 MiB has 4096: 16 KiB. */
struct granule {
	uint32_t state : 4;		/* enum granule_state */
	uint32_t class_number : 4;	/* enum layer_class, or a number of a later version */
	uint32_t record : 24;		/* that determined the state: its index in the cell */
};

/* Belongs to one thread. */
struct cell {
	const struct set *set;		/* borrowed; with layers */
	uint64_t offset;		/* of the cell in the source */
	uint32_t length;		/* bytes; the last cell may be shorter */
	uint32_t count;			/* granules */
	size_t first, end;		/* its records in the map of the set */
	struct granule *granules;	/* owned */
	struct record_head head;	/* the latest that was read, */
	size_t head_of;			/* and the index of its record; SIZE_MAX: none */
	struct run_place run;		/* of that record, the latest that was asked for */
};

enum status cell_init(struct cell *c, const struct set *set, struct error *e);
void cell_free(struct cell *c);

/* The cells of a set. */
uint64_t cell_number_end(const struct set *set);

/* Begins with cell number; no record is added yet. */
void cell_begin(struct cell *c, uint64_t number);

/*
 * Adds the record at index i of the map; raw has its checked run list.  whole: its body is intact.
 * Records must be added by increasing index.
 */
void cell_add(struct cell *c, size_t i, const struct record *record, const uint8_t *raw,
	      bool whole);
/* Reads the head of the record at index i and adds it, as if the body were intact. */
enum status cell_add_head(struct cell *c, size_t i, struct error *e);
/*
 * The same without reading the record, if its index entry says all that its runs do (doc/format.md, section
 * 17).  False: nothing was added.  For those who want to know what is where, and read no stored bytes:
 * whether the record is intact is not known.
 */
bool cell_add_entry(struct cell *c, size_t i);
/* The same, but sets the only run of the record, and adds nothing. */
bool cell_entry_run(const struct cell *c, size_t i, struct run_place *place);
/* The same for a record whose body, or more, is damaged. */
void cell_add_damaged(struct cell *c, size_t i);

/* Reads the head of the record at index i to c->head, and adds nothing. */
enum status cell_load_head(struct cell *c, size_t i, struct error *e);

/*
 * cell_begin(), then reads and adds the heads of all records, as if their bodies were intact.
 * damaged() is called for each record that does not count.  The only failure is STATUS_NO_MEMORY.
 */
enum status cell_collect(struct cell *c, uint64_t number,
			 void (*damaged)(void *arg, const struct error *e), void *arg,
			 struct error *e);

/*
 * The same, but reads all records and unpacks their blocks to scratch, of BLOCK_SIZE_MAX bytes, so that it
 * knows which bodies are damaged.
 */
enum status cell_collect_checked(struct cell *c, uint64_t number, struct record_reader *reader,
				 uint8_t *scratch,
				 void (*damaged)(void *arg, const struct error *e), void *arg,
				 struct error *e);

/* The run with the byte at offset in the record at index i of the map, which has been added. */
enum status cell_find_run(struct cell *c, size_t i, uint64_t offset, struct run_place *place,
			  struct error *e);
/*
 * The target of the byte at offset, which the record at index i of the map says is an alias.  *len is
 * reduced to the bytes that follow each other in both places.  The size of the source, if the granule is
 * an alias of what is beyond its end, even in part.
 */
enum status cell_find_target(struct cell *c, size_t i, uint64_t offset, size_t *len,
			     uint64_t *target, struct error *e);
/* Notes what became of the aliases there: GRANULE_UNREADABLE, or GRANULE_UNKNOWN for missing. */
void cell_set_state(struct cell *c, uint64_t offset, uint64_t length, enum granule_state state);

enum content {
	CONTENT_STORED,
	CONTENT_ALIAS,
	CONTENT_UNREADABLE,
	CONTENT_LEFT_OUT,
	CONTENT_MISSING,
};

/* Consecutive granules that are the same. */
struct cell_part {
	enum content content;
	unsigned class_number;
	enum granule_state state;
	size_t record;			/* that determined the state: its index in the map */
	uint64_t offset;		/* in the source */
	uint32_t length;		/* bytes */
};

/*
 * The part that begins at the granule with the byte at offset, up to the granule with the last byte before
 * to: what follows is not looked at.  False: the cell ends before offset.
 */
bool cell_part(const struct cell *c, uint64_t offset, uint64_t to, struct cell_part *part);

/* The part that a run of the record at index i makes, if no other record has its granules. */
void cell_part_of_run(const struct cell *c, size_t i, const struct run_place *place,
		      struct cell_part *part);

#endif
