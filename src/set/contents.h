// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Contents of a set with layers: what of the source is kept, left out, unreadable and missing, by the
 * heads of all records (doc/format.md, section 18).  No payload is read, so damage to one shows only
 * when it is.
 *
 * Memory: a bit for each granule of the cells in which something is left out, which is 32 MiB for
 * 1 TiB of the source, and 16 bytes for each range that is missing or unreadable.
 */
#ifndef NSPLIT_SET_CONTENTS_H
#define NSPLIT_SET_CONTENTS_H

#include "base/range.h"
#include "set/set.h"
#include "set/totals.h"

/* What is left out of one cell. */
struct left_out_cell {
	uint64_t number;
	uint64_t *granules;		/* a bit for each; owned; NULL: all of the cell */
};

struct contents {
	uint32_t cell_size;
	uint64_t source_size;
	struct range_list missing;	/* sorted and merged, like the next one */
	struct range_list unreadable;
	struct left_out_cell *cells;	/* those with something left out, by number; owned */
	size_t cells_count;
	struct layer_totals totals;
};

/* Called for each record that does not count.  location: its index in the map of the set. */
struct contents_watch {
	void (*damaged)(void *arg, size_t location, const struct error *e);
	void *arg;
};

/* Call contents_free() in any case.  The only failure is STATUS_NO_MEMORY. */
enum status contents_find(struct contents *c, const struct set *set,
			  const struct contents_watch *watch, struct error *e);
void contents_free(struct contents *c);

/*
 * The next bytes at or after *offset that are left out: sets *offset to the first, and *length, which
 * may end before the last.  False: there are none.
 */
bool contents_next_left_out(const struct contents *c, uint64_t *offset, uint64_t *length);

/* What is missing or unreadable, merged.  False: out of memory.  Call range_list_free() in any case. */
bool contents_not_there(const struct contents *c, struct range_list *list);

#endif
