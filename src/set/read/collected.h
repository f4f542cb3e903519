// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is known of cells, remembered for all threads.
 *
 * A cell may have any number of records, whose heads take long to read, and pages that are read one after the
 * other are in different cells.  So what the heads say is kept: eight bytes for each granule of the cell.  All
 * of it is forgotten when it takes COLLECTED_MAX bytes.
 */
#ifndef NSPLIT_SET_READ_COLLECTED_H
#define NSPLIT_SET_READ_COLLECTED_H

#include "set/read/cell.h"

enum { COLLECTED_MAX = 32 * 1024 * 1024 };

/* May be used by several threads at once. */
struct collected;

enum status collected_new(struct collected **collected, struct error *e);
void collected_free(struct collected *known);

/*
 * After cell_begin(): sets the granules of the cell, and *damage, as they were kept.  False: nothing is
 * known.  kind: cells that were collected in different ways know more or less of damage.
 */
bool collected_recall(struct collected *known, uint64_t kind, struct set_cell *c, struct error *damage);

/* After all records were added.  Does nothing if memory is short. */
void collected_keep(struct collected *known, uint64_t kind, const struct set_cell *c,
		    const struct error *damage);

#endif
