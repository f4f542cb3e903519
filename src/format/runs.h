// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run list: which granules a record stores, and what the others are.  doc/format.md, section 5.
 */
#ifndef NSPLIT_FORMAT_RUNS_H
#define NSPLIT_FORMAT_RUNS_H

#include "format/record.h"

/* The numbers are those of the file format. */
enum run_kind {
	RUN_STORED = 0,
	RUN_NAMED = 1,
	RUN_ZERO = 2,
	RUN_UNREADABLE = 3,
	RUN_ELSEWHERE = 4,
	RUN_KINDS
};

/* Consecutive granules of the same kind and class. */
struct run {
	enum run_kind kind;
	unsigned class_number;		/* enum layer_class, or a number of a later version */
	uint32_t granules;		/* at least 1 */
};

/* --- for writers --------------------------------------------------------- */

/* A list being made.  All zero but for runs and capacity when empty. */
struct run_list {
	struct run *runs;		/* borrowed: space for capacity runs */
	uint32_t capacity;
	uint32_t count;
};

/*
 * Appends granules; they are joined to the last run if they continue it.  False: the record must end
 * before them, because the list is full.
 */
bool run_list_add(struct run_list *list, const struct run *run);

/*
 * Writes the list behind the header of a record whose layer and range are set, and sets the fields
 * of the header that follow from it: runs, stored_length, named, unreadable and list_checksum.  A list
 * that says nothing but that all is stored, and of class 0, is not written.
 */
void run_list_encode(const struct run_list *list, struct record *record, uint8_t *raw);

/* --- for readers --------------------------------------------------------- */

/*
 * Checks the list against the decoded header; raw is the record up to record_table_offset() or more.
 * After STATUS_OK the list can be used without further checks.
 */
enum status run_list_check(const struct record *record, const uint8_t *raw);

/* A run with its place in the source. */
struct run_place {
	struct run run;
	uint64_t offset;		/* in the source, */
	uint32_t length;		/* and bytes of it */
	uint32_t stored_at;		/* RUN_STORED: where they begin in the stored bytes */
};

static inline bool run_place_has(const struct run_place *place, uint64_t offset)
{
	return place->offset <= offset && offset - place->offset < place->length;
}

/* Goes through the runs of a record, from the first to the last. */
struct run_cursor {
	const uint8_t *run;		/* of the record: the next one */
	uint32_t left;			/* runs */
	uint64_t offset, end;		/* of the source */
	uint32_t stored;		/* bytes of the stored runs so far */
};

struct run_cursor run_cursor_begin(const struct record *record, const uint8_t *raw);
/* False: there are no more. */
bool run_cursor_next(struct run_cursor *c, struct run_place *place);

#endif
