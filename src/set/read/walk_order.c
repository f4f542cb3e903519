// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ordered walks.  Cells are claimed in the order of the source, but loaded in any order.  The
 * thread that loads the cell to be delivered next delivers it and all that are ready behind it,
 * while the other threads continue.  A thread that is ahead puts its slot down and takes a free
 * one; it waits only if there is none.
 *
 * Rejected: a thread that keeps its record until it is next.  Two CPUs were idle for a quarter of
 * the time, and twice as many threads left them idle even longer.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "set/read/walk_state.h"

/* With second places, a slot has a range reader, too. */
static uint64_t slot_size(const struct set *set)
{
	uint64_t record = set_record_length_max(set), size = record + set->chunk_size;

	if (set_has_layers(set))
		size += set->cell_size;
	return set->second.count ? size + record + BLOCK_SIZE_MAX : size;
}

unsigned order_slots(const struct set *set, unsigned threads)
{
	uint64_t most = max_u64(2, ORDER_MEMORY / slot_size(set));

	return threads == 1 ? 1 : (unsigned)min_u64(2 * (uint64_t)threads, most);
}

enum status order_init(struct walk *w, struct error *e)
{
	struct order *o = &w->order;

	o->ready = calloc(w->slots_count, sizeof(struct slot *));
	o->free = calloc(w->slots_count, sizeof(struct slot *));
	if (!o->ready || !o->free)
		return error_system(e, ENOMEM, "%u record buffers", w->slots_count);
	while (o->free_count < w->slots_count) {
		o->free[o->free_count] = &w->slots[o->free_count];
		o->free_count++;
	}
	return STATUS_OK;
}

void order_free(struct walk *w)
{
	free(w->order.ready);
	free(w->order.free);
}

/* NULL: the walk has ended. */
static struct slot *take_slot(struct walk *w)
{
	struct order *o = &w->order;
	struct slot *slot = NULL;

	pthread_mutex_lock(&w->lock);
	while (!o->free_count && !w->stopping)
		pthread_cond_wait(&w->slot_free, &w->lock);
	if (!w->stopping)
		slot = o->free[--o->free_count];
	pthread_mutex_unlock(&w->lock);
	return slot;
}

/* With the lock. */
static void free_slot(struct walk *w, struct slot *slot)
{
	w->order.free[w->order.free_count++] = slot;
	pthread_cond_signal(&w->slot_free);
}

/* With the lock, which is released while a record is delivered. */
static void deliver_ready(struct walk *w)
{
	struct order *o = &w->order;
	struct slot *slot;

	while ((slot = o->ready[o->next % w->slots_count])) {
		o->ready[o->next % w->slots_count] = NULL;
		pthread_mutex_unlock(&w->lock);
		walk_deliver(slot);
		pthread_mutex_lock(&w->lock);
		o->next++;
		free_slot(w, slot);
	}
}

static void put_down(struct walk *w, struct slot *slot)
{
	struct order *o = &w->order;

	pthread_mutex_lock(&w->lock);
	o->ready[slot->position % w->slots_count] = slot;
	if (!o->delivering) {
		o->delivering = true;
		deliver_ready(w);
		o->delivering = false;
	}
	pthread_mutex_unlock(&w->lock);
}

void order_work(void *arg, unsigned number)
{
	struct walk *w = arg;
	struct slot *slot;

	(void)number;
	while ((slot = take_slot(w)) && walk_claim(w, slot)) {
		walk_load(slot);
		put_down(w, slot);
	}
	if (!slot)
		return;
	pthread_mutex_lock(&w->lock);
	free_slot(w, slot);
	pthread_mutex_unlock(&w->lock);
}
