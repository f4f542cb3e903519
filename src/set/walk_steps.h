// SPDX-License-Identifier: GPL-2.0-or-later
/* The three steps of the threads of a walk, and their order; for walk*.c only. */
#ifndef NSPLIT_SET_WALK_STEPS_H
#define NSPLIT_SET_WALK_STEPS_H

#include "set/walk_state.h"

/* Claims the next record for a slot.  False: no record is left, or the walk has ended. */
bool walk_claim(struct walk *w, struct slot *slot);

/*
 * Reads, checks and unpacks the record of the slot, or else a duplicate of it, unless the caller
 * does not need it.  Damage is reported
 * if the walk continues after damage; otherwise a record without an intact duplicate ends it.
 */
void walk_load(struct slot *slot);

/* Delivers the record of the slot if it is loaded.  A failure ends the walk. */
void walk_deliver(struct slot *slot);

/* Calls deliver() with the wanted part of a range, which has at least a byte. */
enum status walk_put(struct walk *w, const struct delivery *delivery, struct error *e);
/* Reports the wanted part of a range that is unreadable. */
void walk_report_unreadable(struct walk *w, uint64_t offset, uint64_t length);
/* Notes that nothing is missing there. */
enum status walk_note_visited(struct walk *w, uint64_t offset, uint64_t length, struct error *e);

/* With layers: the buffers of a slot; call cell_slot_free() in any case. */
enum status cell_slot_init(struct slot *slot, struct error *e);
void cell_slot_free(struct slot *slot);
/* Then these are the three steps. */
bool walk_claim_cell(struct walk *w, struct slot *slot);
void walk_load_cell(struct slot *slot);
void walk_deliver_cell(struct slot *slot);

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
