// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

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

/* --- from a stream --------------------------------------------------------- */

/* With wait, a thread waits until no other one reads the stream.  False: nothing to read. */
static bool take_stream(struct walk *w, struct queue *queue, bool wait)
{
	bool taken;

	pthread_mutex_lock(&w->lock);
	while (wait && queue->busy && !w->stopping)
		pthread_cond_wait(&w->stream_free, &w->lock);
	taken = !queue->busy && !queue->ended && !w->stopping;
	if (taken)
		queue->busy = true;
	pthread_mutex_unlock(&w->lock);
	return taken;
}

/* The position is assigned here, so that the records of a stream keep their order. */
static void release_stream(struct walk *w, struct queue *queue, struct slot *slot, bool ended)
{
	pthread_mutex_lock(&w->lock);
	queue->busy = false;
	queue->ended = ended;
	if (!ended)
		slot->position = w->claimed++;
	pthread_cond_broadcast(&w->stream_free);
	pthread_mutex_unlock(&w->lock);
}

/*
 * Reads the next record into the slot.  Past damage, records beyond the end of the source are
 * skipped, and one that extends beyond it is used.
 */
static enum status read_record(struct walk *w, struct queue *queue, struct slot *slot,
			       struct error *e)
{
	const struct record_reader *r = &slot->reader;
	enum status status;

	for (;;) {
		status = record_reader_take(&slot->reader, &queue->scan, e);
		if (status ||
		    r->record.source_offset + r->record.source_length <= w->set->source_size)
			return status;
		status = member_verdict(r->member, STATUS_DAMAGED, r->offset, "record: beyond the end of the source", e);
		if (queue->judged_later)
			walk_judge_later(queue, e);
		else if (w->settings.past_damage)
			w->settings.damaged(w->settings.arg, e);
		else
			return status;
		if (r->record.source_offset < w->set->source_size)
			return STATUS_OK;
	}
}

/* Reads without the lock. */
static bool claim_from_stream(struct walk *w, struct queue *queue, struct slot *slot, bool wait)
{
	enum status status;
	struct error e;

	if (!take_stream(w, queue, wait))
		return false;
	status = read_record(w, queue, slot, &e);
	slot->queue = status ? NULL : queue;
	if (!status && w->settings.roots)
		roots_take_next(w->settings.roots, (unsigned)(queue - w->queues), record_checksum(slot->reader.raw));
	if (!status)
		cell_begin(&slot->cell, slot->reader.record.source_offset / w->set->cell_size);
	release_stream(w, queue, slot, status != STATUS_OK);
	if (status == STATUS_OK)
		return true;
	/* A read that was interrupted because the walk ends is not a failure. */
	if (status == STATUS_END || w->stopping)
		return false;
	/* The footers of other streams will show whether the capture finished without this one. */
	if (status == STATUS_CUT || (queue->judged_later && status != STATUS_NO_MEMORY))
		walk_judge_later(queue, &e);
	else if (!w->settings.past_damage || status == STATUS_SYSTEM)
		walk_end(w, status, &e);
	else
		w->settings.damaged(w->settings.arg, &e);
	return false;
}

/* --- from any member ------------------------------------------------------- */

/* The next cell whose first record is in the member. */
static bool claim_from_locations(struct walk *w, struct queue *queue, struct slot *slot)
{
	const struct location *found = NULL;
	struct member *m = queue->member;

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

/*
 * A thread whose own queue is a stream reads nothing else until that stream ends.  There is at
 * least one thread for each stream, so every stream is always read: a sender that must wait for its
 * reader could hold up the sender of another stream.
 */
static bool claim_from_own_stream(struct walk *w, struct slot *slot)
{
	return slot->own_queue < w->set->count && w->queues[slot->own_queue].member->is_stream &&
	       claim_from_stream(w, &w->queues[slot->own_queue], slot, true);
}

/* Takes from each member in turn, so that all disks are read at once. */
static bool claim_from_next_queue(struct walk *w, struct slot *slot, bool wait)
{
	for (unsigned i = 0; i < w->set->count; i++) {
		unsigned number = (slot->next_queue + i) % w->set->count;
		struct queue *queue = &w->queues[number];

		if (queue->member->is_stream ? claim_from_stream(w, queue, slot, wait) :
					       claim_from_locations(w, queue, slot)) {
			slot->next_queue = number + 1;
			return true;
		}
	}
	return false;
}

static bool claim(struct walk *w, struct slot *slot)
{
	if (w->stopping)
		return false;
	slot->queue = NULL;
	if (set_has_layers(w->set) || (w->settings.ordered && !w->set->has_stream))
		return claim_cell(w, slot);
	return claim_from_own_stream(w, slot) || claim_from_next_queue(w, slot, false) ||
	       claim_from_next_queue(w, slot, true);
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
		slot->own_queue = slot->next_queue = i;
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

static void take_scan_damage(void *arg, const struct error *e)
{
	struct queue *queue = arg;

	if (queue->judged_later)
		walk_judge_later(queue, e);
	else
		queue->walk->settings.damaged(queue->walk->settings.arg, e);
}

static enum status make_queues(struct walk *w, struct error *e)
{
	w->queues = calloc(w->set->count, sizeof(*w->queues));
	if (!w->queues)
		return error_system(e, ENOMEM, "%u members", w->set->count);
	if (w->set->has_stream)
		w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->set->has_stream && w->wake_fd < 0)
		return error_system(e, errno, "eventfd");
	for (unsigned i = 0; i < w->set->count; i++) {
		struct queue *queue = &w->queues[i];

		queue->walk = w;
		queue->member = &w->set->members[i];
		queue->judged_later = queue->member->is_stream && w->set->count > 1 &&
				      w->settings.unfinished;
		/* Without the other members, nothing would be made of the rest of a damaged stream. */
		scan_init(&queue->scan, queue->member, w->settings.past_damage || queue->judged_later);
		queue->scan.damaged = take_scan_damage;
		queue->scan.damaged_arg = queue;
		queue->scan.wake_fd = w->wake_fd;
	}
	return STATUS_OK;
}

enum status walk_new(struct walk **walk, struct set *set, const struct walk_settings *settings,
		     struct error *e)
{
	struct walk *w = calloc(1, sizeof(*w));
	enum status status;

	if (!w)
		return error_system(e, ENOMEM, "%u threads", settings->threads);
	w->set = set;
	w->settings = *settings;
	/* At least one thread for each stream: see claim_from_own_stream(). */
	if (set->has_stream && !settings->ordered)
		w->settings.threads = (unsigned)max_u64(settings->threads, set->count);
	w->slots_count = settings->ordered ? order_slots(set, settings->threads) : w->settings.threads;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->stream_free, NULL);
	pthread_cond_init(&w->slot_free, NULL);
	w->wake_fd = -1;
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
	if (w->wake_fd >= 0)
		close(w->wake_fd);
	free(w->order.ready);
	free(w->order.free);
	free(w->slots);
	free(w->queues);
	range_list_free(&w->visited);
	pthread_cond_destroy(&w->slot_free);
	pthread_cond_destroy(&w->stream_free);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* --- after the threads have ended ------------------------------------------ */

/* A damaged stream is skipped if the capture finished without that output: see set_open.c. */
static void judge_stream(struct walk *w, struct queue *queue, bool finished)
{
	struct error *first = &queue->wrong;

	/* Damage to a member that was closed is no trace of an output that failed. */
	if (finished && !queue->member->has_footer) {
		set_unfinished_suffix(first);
		w->settings.unfinished(w->settings.arg, first);
		return;
	}
	if (w->settings.past_damage)
		w->settings.damaged(w->settings.arg, first);
	else
		walk_end(w, first->status, first);
}

static void judge_streams(struct walk *w)
{
	uint64_t offset = 0, length;
	bool finished = w->settings.unfinished && set_any_closed(w->set) && !walk_hole(w, &offset, &length);

	for (unsigned i = 0; i < w->set->count && !w->status && !w->stopped; i++)
		if (w->queues[i].wrong.status)
			judge_stream(w, &w->queues[i], finished);
}

/*
 * The footers of streams are known only now.  If no footer has the size of the source, the last
 * record ends it.
 */
static void settle_size(struct walk *w)
{
	struct set *set = w->set;
	uint64_t end = range_list_end(&w->visited);
	struct error e;

	while (set_settle_size(set, &e))
		w->settings.damaged(w->settings.arg, &e);
	if (set->source_size == SOURCE_SIZE_UNKNOWN) {
		set->source_size = end;
		set->stopped = true;
	}
	if (end > set->source_size) {
		error_set(&e, STATUS_DAMAGED, "the members disagree on where the source ends");
		w->settings.damaged(w->settings.arg, &e);
		set->source_size = end;
	}
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

	if (w->settings.ordered && w->set->has_stream && w->set->count > 1)
		return error_set(e, STATUS_USAGE, "records arrive out of order if one of several "
				 "members is a pipe; use -o to write to a file");
	status = thread_pool_run(&pool, &w->settings.watch, e);
	if (status)
		return status;
	range_list_sort(&w->visited);
	range_list_merge(&w->visited);
	if (!w->status && !w->stopped)
		settle_size(w);
	judge_streams(w);
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
