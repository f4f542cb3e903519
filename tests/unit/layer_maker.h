// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pieces of sets with layers, for members made with set_maker.  The superblock of the maker must have
 * a cell size and a class table; a test may change the table between two pieces.
 */
#ifndef NSPLIT_TESTS_UNIT_LAYER_MAKER_H
#define NSPLIT_TESTS_UNIT_LAYER_MAKER_H

#include "format/record.h"
#include "set_maker.h"

/* Sets the cell size, 0 for that of chunks, and a class table that saves all classes in layer 1. */
void maker_set_layers(struct superblock *superblock, uint32_t cell_size);

/*
 * A record of layer with these runs from offset on; the source, which ends at source_size, has the
 * bytes of those that are stored.  The index will list it.  Returns its offset in the member.
 */
size_t maker_add_layered(struct maker *m, const uint8_t *source, unsigned layer, uint64_t offset,
			  const struct run *runs, uint32_t count);

/*
 * Adds a second place to a superblock, behind those that it has; its granules are then to be of
 * CLASS_SECOND, whose state this sets.
 */
void maker_add_second(struct superblock *superblock, uint64_t offset, uint64_t length, uint64_t target);

/* A segment, if one is due, and a mark. */
size_t maker_add_checkpoint(struct maker *m, uint32_t whole);

/*
 * Reads runs from text, at most max of them: "s2,n10.8,z3" are two stored granules, ten of class 8, and
 * three of zeros; u is unreadable, e elsewhere.
 * Returns their number; 0: the text is none.
 */
uint32_t maker_read_runs(const char *text, struct run *runs, uint32_t max);

#endif
