// SPDX-License-Identifier: GPL-2.0-or-later
/* How the hands of a walk come by their records. */
#include "config.h"

#include "set/walk_state.h"

/* Spares are read where nothing but reading is wanted: a check is of all that is there. */
static bool is_wanted(const struct walk *w, const struct location *p)
{
	return (!p->duplicate || !walk_delivers(w)) &&
	       walk_wants(w, p->entry.source_offset, p->entry.source_length);
}

static bool claim_from_map(struct walk *w, struct slot *h)
{
	const struct set *set = w->set;

	h->location = NULL;
	pthread_mutex_lock(&w->lock);
	while (w->next < set->locations && !h->location) {
		const struct location *p = set->map[w->next++];

		if (is_wanted(w, p)) {
			h->location = p;
			h->turn = w->turns++;
		}
	}
	pthread_mutex_unlock(&w->lock);
	return h->location;
}

/* Has the hand the stream to itself?  With wait it stands in line for one that another reads. */
static bool take_stream(struct walk *w, struct queue *queue, bool wait)
{
	bool mine;

	pthread_mutex_lock(&w->lock);
	while (wait && queue->taken && !w->stopping)
		pthread_cond_wait(&w->moved, &w->lock);
	mine = !queue->taken && !queue->ended && !w->stopping;
	if (mine)
		queue->taken = true;
	pthread_mutex_unlock(&w->lock);
	return mine;
}

/* The turn is taken here, so that the turns of a stream follow its order. */
static void leave_stream(struct walk *w, struct queue *queue, struct slot *h, bool ended)
{
	pthread_mutex_lock(&w->lock);
	queue->taken = false;
	queue->ended = ended;
	if (!ended)
		h->turn = w->turns++;
	pthread_cond_broadcast(&w->moved);
	pthread_mutex_unlock(&w->lock);
}

/* Into the hand's reader; those that begin behind the end of the source are passed over. */
static enum status take_record(struct walk *w, struct queue *queue, struct slot *h,
			       struct error *e)
{
	const struct record_reader *r = &h->reader;
	enum status status;

	for (;;) {
		status = record_reader_take(&h->reader, &queue->scan, e);
		if (status ||
		    r->record.source_offset + r->record.source_length <= w->set->source_size)
			return status;
		status = set_record_beyond_end(r->member, r->offset, e);
		if (!w->settings.past_damage)
			return status;
		walk_report_damage(w, e);
		if (r->record.source_offset < w->set->source_size)
			return STATUS_OK;
	}
}

/* The next record of a stream; the lock is not held while it comes. */
static bool claim_from_stream(struct walk *w, struct queue *queue, struct slot *h, bool wait)
{
	enum status status;
	struct error e;

	if (!take_stream(w, queue, wait))
		return false;
	status = take_record(w, queue, h, &e);
	h->location = NULL;
	leave_stream(w, queue, h, status != STATUS_OK);
	if (status == STATUS_OK)
		return true;
	/* A read that was given up because the walk ends is no failure of its own. */
	if (status == STATUS_END || w->stopping)
		return false;
	if (!w->settings.past_damage || status == STATUS_SYSTEM)
		walk_end(w, status, &e);
	else
		walk_report_damage(w, &e);
	return false;
}

static bool claim_from_locations(struct walk *w, struct queue *queue, struct slot *h)
{
	struct member *m = queue->member;

	h->location = NULL;
	pthread_mutex_lock(&w->lock);
	while (queue->next < m->count && !h->location) {
		const struct location *p = &m->locations[queue->next++];

		if (is_wanted(w, p))
			h->location = p;
	}
	pthread_mutex_unlock(&w->lock);
	return h->location;
}

static bool claim_from_queue(struct walk *w, struct queue *queue, struct slot *h, bool wait)
{
	return queue->member->is_stream ? claim_from_stream(w, queue, h, wait)
				       : claim_from_locations(w, queue, h);
}

/*
 * A hand with a stream for its home reads nothing else until that one ends: with a
 * hand to each stream, none is left unread while its sender holds up another.
 */
static bool claim_own(struct walk *w, struct slot *h)
{
	return h->own < w->set->count && w->queues[h->own].member->is_stream &&
	       claim_from_queue(w, &w->queues[h->own], h, true);
}

bool walk_claim(struct walk *w, struct slot *h)
{
	if (w->stopping)
		return false;
	if (w->settings.ordered && !w->set->has_stream)
		return claim_from_map(w, h);
	if (claim_own(w, h))
		return true;
	/* Around the members, so that all are read at once. */
	for (int wait = 0; wait < 2; wait++) {
		for (unsigned i = 0; i < w->set->count; i++) {
			unsigned queue = (h->queue + i) % w->set->count;

			if (claim_from_queue(w, &w->queues[queue], h, wait)) {
				h->queue = queue + 1;
				return true;
			}
		}
	}
	return false;
}
