// SPDX-License-Identifier: GPL-2.0-or-later
/* The three steps of the threads of a walk, and their order; for walk*.c only. */
#ifndef NSPLIT_SET_READ_WALK_STEPS_H
#define NSPLIT_SET_READ_WALK_STEPS_H

#include "set/read/walk_state.h"

/* Claims the next cell for a slot, or the next record of a stream.  False: none is left, or the walk has ended. */
bool walk_claim(struct walk *w, struct slot *slot);

/*
 * Loads the records of the cell, lower layers first, as far as they are needed.  Unless the walk is ordered,
 * what counts of a record is delivered at once.  Then what is in second places is read through a range
 * reader, since the first places may be anywhere.  Damage is reported if the walk continues after damage.
 */
void walk_load(struct slot *slot);

/* Delivers the rest.  A failure ends the walk. */
void walk_deliver(struct slot *slot);

/* --- for walk_load.c and walk_deliver.c ------------------------------------------ */

/* Delivers bytes of the record that is held. */
enum status walk_put(struct slot *slot, const struct extent *x, struct error *e);
/* Ordered: copies all that counts of it to the buffer aside, before blocks has something else. */
enum status walk_put_aside(struct slot *slot, struct error *e);
/* The same for the bytes of an extent in a second place, which are at the beginning of blocks. */
enum status walk_put_second(struct slot *slot, const struct extent *x, struct error *e);

/*
 * The extent that begins at offset, and ends before to.  What second places have is known once they were
 * loaded.
 */
struct extent walk_extent(const struct slot *slot, uint64_t offset, uint64_t to);
/* The part of the source that the slot has. */
struct range walk_range(const struct slot *slot);

/*
 * The number of slots of an ordered walk: two for each thread, but no more than fit into ORDER_MEMORY, or two.
 * Threads without a slot wait.
 */
enum { ORDER_MEMORY = 256 * 1024 * 1024 };
unsigned order_slots(const struct set *set, unsigned threads);
/* After the slots were made.  order_free() must be called even after a failure. */
enum status order_init(struct walk *w, struct error *e);
void order_free(struct walk *w);
/* The main function of a thread of an ordered walk; arg is the walk. */
void order_work(void *arg, unsigned number);

#endif
