// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cells that were collected, remembered for all threads.
 *
 * A cell may have any number of records, and aliases may lead to and fro between such cells.  If the heads of
 * all records were read each time, a set of 10 MB would take a minute to verify.  So what they say is kept:
 * four bytes for each granule of the cell.  All of it is forgotten when it takes COLLECTED_MAX bytes.
 *
 * For that, aliases must have led to as many cells as fit.  The targets of a record are within 64 MiB, so
 * about 200 records with aliases are needed, whatever the size of cells.  So a reader of a set with A such
 * records reads each head at most 1 + A / 200 times for their targets.
 */
#ifndef NSPLIT_SET_COLLECTED_H
#define NSPLIT_SET_COLLECTED_H

#include "set/cell.h"

enum { COLLECTED_MAX = 32 * 1024 * 1024 };

/* May be used by several threads at once. */
struct collected;

enum status collected_new(struct collected **collected, struct error *e);
void collected_free(struct collected *known);

/*
 * After cell_begin(): sets the granules of the cell, and *damage, as they were kept.  False: nothing is
 * known.  kind: cells that were collected in different ways know more or less of damage.
 */
bool collected_recall(struct collected *known, uint64_t kind, struct cell *c, struct error *damage);

/* After all records were added; no alias was resolved yet.  Does nothing if memory is short. */
void collected_keep(struct collected *known, uint64_t kind, const struct cell *c,
		    const struct error *damage);

#endif
