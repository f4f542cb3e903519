// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread's search for the contents of some cells of a set; for contents_find.c.
 *
 * It reads the heads of records, unless their index entries say as much.
 */
#ifndef NSPLIT_SET_READ_CONTENTS_SEARCH_H
#define NSPLIT_SET_READ_CONTENTS_SEARCH_H

#include "set/read/contents.h"
#include "set/read/resolve.h"

/* Belongs to one thread. */
struct contents_search {
	/* Called for each record that does not count; location: its index in the map.  Set by the caller. */
	void (*damaged)(struct contents_search *s, size_t location, const struct error *e);
	const struct set *set;		/* borrowed */
	struct contents found;		/* in the cells that were searched; the caller may empty it */
	struct resolver resolver;
	uint64_t *bits;			/* of the granules of the cell that are left out; owned */
	bool any_left_out;
};

/* Call contents_search_free() in any case. */
enum status contents_search_init(struct contents_search *s, const struct set *set, struct error *e);
void contents_search_free(struct contents_search *s);

/*
 * Adds what is found in the cells of the records at indexes from to end - 1 of the map, which are all of
 * these cells, and in the gap before them, where second places may be.  The only failure is STATUS_NO_MEMORY.
 */
enum status contents_search_records(struct contents_search *s, size_t from, size_t end,
				    struct error *e);

/* The same of the cells behind that of the last record. */
enum status contents_search_rest(struct contents_search *s, struct error *e);

#endif
