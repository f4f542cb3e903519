// SPDX-License-Identifier: GPL-2.0-or-later
/* The first step of a walk: claiming a record. */
#include "config.h"

#include "set/walk_steps.h"

/* A check reads duplicates, too. */
static bool is_wanted(const struct walk *w, const struct location *location)
{
	return (!location->duplicate || w->settings.mode == WALK_CHECK) &&
	       walk_wants(w, location->entry.source_offset, location->entry.source_length);
}

/* --- in the order of the map ----------------------------------------------- */

static bool claim_from_map(struct walk *w, struct slot *slot)
{
	const struct set *set = w->set;

	slot->location = NULL;
	pthread_mutex_lock(&w->lock);
	while (w->next < set->locations && !slot->location) {
		const struct location *location = set->map[w->next++];

		if (is_wanted(w, location)) {
			slot->location = location;
			slot->position = w->claimed++;
		}
	}
	pthread_mutex_unlock(&w->lock);
	return slot->location;
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
	slot->location = NULL;
	slot->queue = queue;
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

static bool claim_from_locations(struct walk *w, struct queue *queue, struct slot *slot)
{
	struct member *m = queue->member;

	slot->location = NULL;
	pthread_mutex_lock(&w->lock);
	while (queue->next < m->count && !slot->location) {
		const struct location *location = &m->locations[queue->next++];

		if (is_wanted(w, location))
			slot->location = location;
	}
	pthread_mutex_unlock(&w->lock);
	return slot->location;
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
	if (slot->layers)
		return walk_claim_cell(w, slot);
	if (w->settings.ordered && !w->set->has_stream)
		return claim_from_map(w, slot);
	return claim_from_own_stream(w, slot) || claim_from_next_queue(w, slot, false) ||
	       claim_from_next_queue(w, slot, true);
}
