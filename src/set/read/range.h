// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a set has at each byte of the source: extents, found from the records of cells (doc/format.md, section 10); and
 * a reader of any bytes, in any order.
 */
#ifndef NSPLIT_SET_READ_RANGE_H
#define NSPLIT_SET_READ_RANGE_H

#include "format/format.h"
#include "format/record.h"
#include "set/read/reader.h"
#include "set/set.h"

/* --- extents: consecutive bytes of the source, and what a set has of them --- */

/* Where several records speak of the same bytes, the greatest of these counts. */
enum extent_kind {
	EXTENT_UNKNOWN,			/* no record of layer 1 covers it: missing */
	EXTENT_LEFT_OUT,		/* on purpose: reads as zeros */
	EXTENT_MISSING,			/* its class is known, and is not left out */
	EXTENT_UNREADABLE,		/* when it was captured: reads as zeros, and is reported */
	EXTENT_DAMAGED,			/* only records with damaged bodies store it: missing */
	EXTENT_ZERO,			/* its bytes are zeros */
	EXTENT_STORED,
};

struct extent {
	uint64_t offset;		/* in the source */
	uint64_t length;		/* bytes */
	enum extent_kind kind;
	unsigned class_number;		/* enum layer_class, or a number of a later version */
	bool second;			/* in a second place: the rest is that of the first */
	bool unsure;			/* a record that may have more of it cannot be read now */
	/* EXTENT_STORED, EXTENT_DAMAGED: the index in the map of the set, */
	size_t location;
	uint32_t at;			/* and where it begins in the stored bytes of that record */
};

static inline bool extent_is_missing(const struct extent *x)
{
	return x->kind == EXTENT_UNKNOWN || x->kind == EXTENT_MISSING || x->kind == EXTENT_DAMAGED;
}

/* The error for a reader of bytes that are unreadable or missing: STATUS_MISSING. */
enum status extent_error(const struct extent *x, struct error *e);

/* --- totals --- */

/* The contents of a set, in bytes, by class (format/format.h). */

struct class_totals {
	uint64_t kept[CLASSES], left_out[CLASSES], missing[CLASSES];
	uint64_t unreadable;
	uint64_t unknown;		/* missing, and no record says of which class */
};

struct layer_totals {
	/* Each byte of the memory once: the first places, and everything that is in the source in one place only. */
	struct class_totals memory;
	struct class_totals second;	/* the second places, by what is in the first ones */
};

/* Adds length bytes of an extent, in a second place or elsewhere. */
void layer_totals_count(struct layer_totals *t, const struct extent *x, uint64_t length);

void layer_totals_add(struct layer_totals *sum, const struct layer_totals *t);

/*
 * Layers 1 to this one are complete: nothing of them is missing.  What footers and checkpoints state was true
 * when they were written; something may have been lost since.
 */
unsigned layer_totals_complete(const struct layer_totals *t, const struct class_table *classes);

/* The sum over all classes. */
uint64_t layer_totals_sum(const uint64_t of_class[CLASSES]);

/* Is more left out than pages that must not be touched (class_is_marked())? */
bool layer_totals_leave_out_more(const struct layer_totals *t);

/* The bytes of all second places. */
uint64_t layer_totals_second(const struct layer_totals *t);

/* --- cells --- */

/*
 * The records of the cell are added in the order of the map: lower layers first.  So the first
 * intact record that stores a granule is the one that counts, whatever records follow; and the
 * order in which the other rules of section 10 find their records does not matter.
 *
 * Second places are not followed here: what they refer to is in any other cell.
 */

/*
 * The head of a record: its header and run list, which say what is where.  It is read and checked without
 * the payload (doc/format.md, section 5).
 */

/* Belongs to one thread. */
struct record_head {
	uint8_t *raw;			/* as stored, up to the block table or further; owned */
	struct record record;
};

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
/* Overrides what the records say of an extent in a second place. */
void cell_set(struct set_cell *c, const struct extent *x);

/* Sets what begins at offset, up to the byte before to.  False: the cell ends before offset. */
bool cell_extent(const struct set_cell *c, uint64_t offset, uint64_t to, struct extent *x);

/*
 * Resolver: says what a set has at an offset of the source.
 *
 * A set is a map of extents.  The answer takes second places, layers, records that were captured again, and
 * damage into account; where the bytes are stored, it says which record has them.
 *
 * At first, only the heads of the records of a cell are read, so a body may turn out to be damaged when
 * it is read.  Whoever finds that calls set_lose() and asks again: the answer is then another record, or
 * that the bytes are missing.
 */

/* Belongs to one thread. */
struct resolver {
	const struct set *set;		/* borrowed */
	/*
	 * Index entries are believed where they describe their records, so that less is read: for those who
	 * read no stored bytes.  Otherwise only if they say that all is stored.
	 */
	bool by_entries;
	/*
	 * Called for each record whose head cannot be used, each time that its cell is read.  first: the cell
	 * was asked for as that of a first place.  NULL: not called.
	 */
	void (*damaged)(void *arg, size_t location, bool first, const struct error *e);
	void *arg;
	size_t avoid;			/* a record that cannot be read now, as if it were lost; SIZE_MAX: none */
	/* What is known of one cell: that of the last answer. */
	struct set_cell cell;
	uint64_t number;		/* UINT64_MAX: nothing */
	bool first;			/* it was asked for as that of a first place */
	uint64_t lost;			/* set_count_lost() then */
	struct error damage;		/* the first that was found; STATUS_OK: none */
	bool unsure;			/* a head could not be read, perhaps only now */
};

/* Call resolver_free() in any case. */
enum status resolver_init(struct resolver *r, const struct set *set, struct error *e);
void resolver_free(struct resolver *r);

/* If a head of the latest cell could not be read, the next answer does not depend on that: perhaps it can be read now. */
void resolver_forget_unsure(struct resolver *r);

/*
 * Sets the extent that begins at offset, which is within the source, and ends after length bytes at most.
 * The only failure is STATUS_NO_MEMORY.
 */
enum status resolve(struct resolver *r, uint64_t offset, uint64_t length, struct extent *x,
		    struct error *e);

/* Why what resolve() set last is missing: damage to its cell; NULL: none was found. */
const struct error *resolver_damage(const struct resolver *r);

/* --- range readers ------------------------------------------------------------------ */

/*
 * Reads any bytes of the source, in any order.  A range reader belongs to one thread; a set can have any number of
 * them.  It keeps one record in memory, so the next read is cheap if it needs the same record.
 */
struct range_reader {
	const struct set *set;		/* borrowed */
	struct resolver resolver;
	struct record_reader record;
	const struct location *loaded;	/* of that record; NULL: none */
	uint8_t *block;			/* the latest block that was unpacked; owned */
	uint64_t unpacked;		/* its number in the record, or in a dump; UINT64_MAX: none */
	bool needs_all;			/* range_read() fails for what was left out, too; set by the caller */
};

enum status range_reader_init(struct range_reader *r, const struct set *set, struct error *e);
void range_reader_free(struct range_reader *r);

/*
 * Reads len bytes at offset, which must be within the source.  What is unreadable or damaged in one record is
 * taken from another, if there is one; otherwise the error is that of the first.
 * STATUS_MISSING: a byte is in a hole, or unreadable; dst is valid only before that byte.  What was
 * left out on purpose reads as zeros, unless needs_all is set.
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
