// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Contents of a set: what of the source is kept, left out, unreadable and missing, by the
 * heads of its records, or by index entries that say as much (doc/format.md, sections 8 and 10).  No
 * payload is read, so damage to one shows only when it is.
 *
 * Memory: 10 MiB for 1 TiB of the source with 8 pages that are kept in each MiB,
 * and 16 bytes for each range that is missing or unreadable.
 */
#ifndef NSPLIT_SET_READ_CONTENTS_H
#define NSPLIT_SET_READ_CONTENTS_H

#include "base/array.h"
#include "set/read/range.h"
#include "set/set.h"

/* A cell of which something is left out. */
struct left_out_cell {
	uint64_t offset, length;	/* in the source; first, for spans_find() */
	uint8_t *blocks;		/* which of its granules are (contents.c); NULL: all of them.  Owned. */
};

struct contents {
	struct left_out_cell *left_out;	/* sorted; owned */
	size_t left_out_count;
	struct range_list missing;	/* sorted and merged, like the next one */
	struct range_list unreadable;
	struct layer_totals totals;
};

void contents_free(struct contents *c);

struct contents_watch {
	/*
	 * Called for each record that does not count, in the order of the map.  location: its index in the map of
	 * the set.  NULL: not called.
	 */
	void (*damaged)(void *arg, size_t location, const struct error *e);
	/* Called at intervals, in seconds, and at the end, with the number of records; NULL: not called. */
	void (*searching)(void *arg, uint64_t done, uint64_t all);
	double interval;
	void *arg;
};

/* Call contents_free() in any case.  The only failure is STATUS_NO_MEMORY. */
enum status contents_find(struct contents *c, const struct set *set,
			  const struct contents_watch *watch, struct error *e);

/*
 * The next bytes at or after *offset that are left out: sets *offset to the first, and *length, which
 * may end before the last.  False: there are none.
 */
bool contents_next_left_out(const struct contents *c, uint64_t *offset, uint64_t *length);

/* The missing or unreadable ranges, merged.  False: out of memory.  Call range_list_free() in any case. */
bool contents_not_there(const struct contents *c, struct range_list *list);

#endif
