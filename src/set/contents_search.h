// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread's search for the contents of some cells of a set with layers; for contents_find.c.
 *
 * It reads the heads of records, unless their index entries say as much.  Two cells at a time: an alias
 * may lead from one to any other.
 */
#ifndef NSPLIT_SET_CONTENTS_SEARCH_H
#define NSPLIT_SET_CONTENTS_SEARCH_H

#include "set/cell.h"
#include "set/contents.h"

/* Belongs to one thread. */
struct contents_search {
	/* Called for each record that does not count; location: its index in the map.  Set by the caller. */
	void (*damaged)(struct contents_search *s, size_t location, const struct error *e);
	const struct set *set;		/* borrowed */
	struct contents found;		/* in the cells that were searched; the caller may empty it */
	struct cell cell, target;
	uint64_t target_number;		/* of the cell in target; UINT64_MAX: none */
	bool unsure;			/* a head in it could not be read, perhaps only now */
	uint64_t *bits;			/* of the granules of the cell that are left out; owned */
	bool any_left_out;
};

/* Call contents_search_free() in any case. */
enum status contents_search_init(struct contents_search *s, const struct set *set, struct error *e);
void contents_search_free(struct contents_search *s);

/*
 * Adds what is found in the cells of the records at indexes from to end - 1 of the map, which are all of
 * these cells, and in the gap before them.  The only failure is STATUS_NO_MEMORY.
 */
enum status contents_search_records(struct contents_search *s, size_t from, size_t end,
				    struct error *e);

/* Where the cell of the record at index i of the map ends. */
uint64_t contents_cell_end(const struct set *set, size_t i);

/* All bytes from one offset to another are missing. */
enum status contents_note_gap(struct contents *c, uint64_t from, uint64_t to, struct error *e);

#endif
