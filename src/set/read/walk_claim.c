// SPDX-License-Identifier: GPL-2.0-or-later
/* The first step of a walk: claiming a cell, or a record of a stream. */
#include "config.h"

#include "base/bytes.h"
#include "set/read/walk_state.h"

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
		status = set_record_beyond_end(r->member, r->offset, e);
		if (queue->judged_later)
			walk_judge_later(queue, e);
		else if (w->settings.past_damage)
			walk_report_damage(w, e);
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
		walk_report_damage(w, &e);
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

static bool claim_from_queue(struct walk *w, struct queue *queue, struct slot *slot, bool wait)
{
	return queue->member->is_stream ? claim_from_stream(w, queue, slot, wait)
					: claim_from_locations(w, queue, slot);
}

/*
 * A thread whose own queue is a stream reads nothing else until that stream ends.  There is at
 * least one thread for each stream, so every stream is always read: a sender that must wait for its
 * reader could hold up the sender of another stream.
 */
static bool claim_from_own_stream(struct walk *w, struct slot *slot)
{
	return slot->own_queue < w->set->count && w->queues[slot->own_queue].member->is_stream &&
	       claim_from_queue(w, &w->queues[slot->own_queue], slot, true);
}

/* Takes from each member in turn, so that all disks are read at once. */
static bool claim_from_next_queue(struct walk *w, struct slot *slot, bool wait)
{
	for (unsigned i = 0; i < w->set->count; i++) {
		unsigned number = (slot->next_queue + i) % w->set->count;

		if (claim_from_queue(w, &w->queues[number], slot, wait)) {
			slot->next_queue = number + 1;
			return true;
		}
	}
	return false;
}

bool walk_claim(struct walk *w, struct slot *slot)
{
	if (w->stopping)
		return false;
	slot->queue = NULL;
	if (set_has_layers(w->set) || (w->settings.ordered && !w->set->has_stream))
		return claim_cell(w, slot);
	return claim_from_own_stream(w, slot) || claim_from_next_queue(w, slot, false) ||
	       claim_from_next_queue(w, slot, true);
}
