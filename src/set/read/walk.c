// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "set/read/walk_state.h"

enum { THREAD_STACK = 512 * 1024 };

/* --- in the order of the source ---------------------------------------------- */

/*
 * The next cell of which something may be known, or the end: nothing need be read to know that the others are
 * missing, and a damaged size of the source may mean any number of them.
 */
static uint64_t next_cell(struct walk *w)
{
	const struct set *set = w->set;
	uint64_t number = cell_number_next(set, w->next);
	uint64_t from = max_u64(w->next * set->cell_size, w->settings.from);
	uint64_t to = min_u64(min_u64(number * set->cell_size, set->source_size), w->settings.to);

	if (from < to) {
		w->totals.memory.unknown += to - from;
		w->done += to - from;
	}
	return number;
}

static bool claim_cell(struct walk *w, struct slot *slot)
{
	uint64_t end = cell_number_end(w->set), number = end;
	bool claimed = false;

	pthread_mutex_lock(&w->lock);
	while (w->next < end && !claimed) {
		number = next_cell(w);
		w->next = number + 1;
		claimed = number < end && walk_wants(w, number * w->set->cell_size, w->set->cell_size);
	}
	if (claimed)
		slot->position = w->claimed++;
	pthread_mutex_unlock(&w->lock);
	if (claimed)
		cell_begin(&slot->cell, number);
	return claimed;
}

/* --- in the order of each member --------------------------------------------- */

/* The next cell whose first record is in the member. */
static bool claim_from_member(struct walk *w, struct queue *queue, struct slot *slot)
{
	const struct location *found = NULL;
	const struct member *m = queue->member;

	pthread_mutex_lock(&w->lock);
	while (queue->next < m->count && !found) {
		const struct location *location = &m->locations[queue->next++];

		if (!location->follows &&
		    walk_wants(w, round_down(location->entry.source_offset, w->set->cell_size),
			       w->set->cell_size))
			found = location;
	}
	pthread_mutex_unlock(&w->lock);
	if (found)
		cell_begin(&slot->cell, found->entry.source_offset / w->set->cell_size);
	return found;
}

/* Takes from each member in turn, so that all disks are read at once. */
static bool claim(struct walk *w, struct slot *slot)
{
	if (w->stopping)
		return false;
	if (set_has_layers(w->set) || w->settings.ordered)
		return claim_cell(w, slot);
	for (unsigned i = 0; i < w->set->count; i++) {
		unsigned number = (slot->next_queue + i) % w->set->count;

		if (claim_from_member(w, &w->queues[number], slot)) {
			slot->next_queue = number + 1;
			return true;
		}
	}
	return false;
}

/*
 * Ordered walks.  Cells are claimed in the order of the source, but loaded in any order.  The
 * thread that loads the cell to be delivered next delivers it and all that are ready behind it,
 * while the other threads continue.  A thread that is ahead puts its slot down and takes a free
 * one; it waits only if there is none.
 *
 * Rejected: a thread that keeps its record until it is next.  Two CPUs were idle for a quarter of
 * the time, and twice as many threads left them idle even longer.
 */

/* With second places, a slot has a range reader, too. */
static uint64_t slot_size(const struct set *set)
{
	uint64_t record = set_record_length_max(set), size = record + set->chunk_size;

	if (set_has_layers(set))
		size += set->cell_size;
	return set->second.count ? size + record + BLOCK_SIZE_MAX : size;
}

/*
 * The number of slots of an ordered walk: two for each thread, but no more than fit into ORDER_MEMORY, or two.
 * Threads without a slot wait.
 */
enum { ORDER_MEMORY = 256 * 1024 * 1024 };

static unsigned order_slots(const struct set *set, unsigned threads)
{
	uint64_t most = max_u64(2, ORDER_MEMORY / slot_size(set));

	return threads == 1 ? 1 : (unsigned)min_u64(2 * (uint64_t)threads, most);
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

/* The main function of a thread of an ordered walk. */
static void order_work(void *arg, unsigned number)
{
	struct walk *w = arg;
	struct slot *slot;

	(void)number;
	while ((slot = take_slot(w)) && claim(w, slot)) {
		walk_load(slot);
		put_down(w, slot);
	}
	if (!slot)
		return;
	pthread_mutex_lock(&w->lock);
	free_slot(w, slot);
	pthread_mutex_unlock(&w->lock);
}

/* --- making and freeing a walk --------------------------------------------- */

static enum status make_slots(struct walk *w, struct error *e)
{
	enum status status = STATUS_OK;

	w->slots = calloc(w->slots_count, sizeof(*w->slots));
	w->order.ready = calloc(w->slots_count, sizeof(struct slot *));
	w->order.free = calloc(w->slots_count, sizeof(struct slot *));
	if (!w->slots || !w->order.ready || !w->order.free)
		return error_system(e, ENOMEM, "%u record buffers", w->slots_count);
	for (unsigned i = 0; i < w->slots_count && !status; i++) {
		struct slot *slot = &w->slots[i];

		w->order.free[w->order.free_count++] = slot;
		slot->walk = w;
		slot->next_queue = i;
		status = cell_init(&slot->cell, w->set, e);
		if (!status)
			status = record_reader_init(&slot->reader, w->set, e);
		if (!status && w->set->second.count)
			status = range_reader_init(&slot->first, w->set, e);
		slot->blocks = aligned_alloc(ALIGNMENT, w->set->chunk_size);
		if (!status && !slot->blocks)
			status = error_system(e, ENOMEM, "%u record buffers", w->slots_count);
	}
	return status;
}

static enum status make_queues(struct walk *w, struct error *e)
{
	w->queues = calloc(w->set->count, sizeof(*w->queues));
	if (!w->queues)
		return error_system(e, ENOMEM, "%u members", w->set->count);
	for (unsigned i = 0; i < w->set->count; i++)
		w->queues[i].member = &w->set->members[i];
	return STATUS_OK;
}

enum status walk_new(struct walk **walk, const struct set *set, const struct walk_settings *settings,
		     struct error *e)
{
	struct walk *w = calloc(1, sizeof(*w));
	enum status status;

	if (!w)
		return error_system(e, ENOMEM, "%u threads", settings->threads);
	w->set = set;
	w->settings = *settings;
	w->slots_count = settings->ordered ? order_slots(set, settings->threads) : settings->threads;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->slot_free, NULL);
	status = make_queues(w, e);
	if (!status)
		status = make_slots(w, e);
	if (status) {
		walk_free(w);
		return status;
	}
	*walk = w;
	return STATUS_OK;
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	for (unsigned i = 0; w->slots && i < w->slots_count; i++) {
		cell_free(&w->slots[i].cell);
		record_reader_free(&w->slots[i].reader);
		range_reader_free(&w->slots[i].first);
		free(w->slots[i].blocks);
		free(w->slots[i].aside);
	}
	free(w->order.ready);
	free(w->order.free);
	free(w->slots);
	free(w->queues);
	range_list_free(&w->visited);
	pthread_cond_destroy(&w->slot_free);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* --- running --------------------------------------------------------------- */

/* The main function of a thread, unless the walk is ordered. */
static void work(void *arg, unsigned number)
{
	struct walk *w = arg;
	struct slot *slot = &w->slots[number];

	while (claim(w, slot)) {
		walk_load(slot);
		walk_deliver(slot);
	}
}

enum status walk_run(struct walk *w, struct error *e)
{
	struct thread_pool pool = {
		.count = w->settings.threads,
		.stack = THREAD_STACK,
		.work = w->settings.ordered ? order_work : work,
		.arg = w,
	};
	enum status status;

	status = thread_pool_run(&pool, &w->settings.watch, e);
	if (status)
		return status;
	range_list_merge(&w->visited);
	if (w->status)
		*e = w->error;
	else if (w->stopped)
		return error_set(e, STATUS_STOPPED, "stopped");
	return w->status;
}

void walk_stop(struct walk *w)
{
	pthread_mutex_lock(&w->lock);
	w->stopped = true;
	walk_cancel(w);
	pthread_mutex_unlock(&w->lock);
}

void walk_progress(struct walk *w, uint64_t *done, uint64_t *read)
{
	*done = w->done;
	*read = w->read;
}

const struct layer_totals *walk_totals(const struct walk *w)
{
	return &w->totals;
}

bool walk_hole(const struct walk *w, uint64_t *offset, uint64_t *length)
{
	uint64_t to = min_u64(w->settings.to, w->set->source_size);

	*offset = max_u64(*offset, w->settings.from);
	return range_list_gap(&w->visited, offset, to, length);
}
