// SPDX-License-Identifier: GPL-2.0-or-later
/* How the hands of a walk come by their records. */
#include "config.h"

#include "set/walk_state.h"

static uint64_t take_turn(struct walk *w)
{
	uint64_t turn;

	pthread_mutex_lock(&w->lock);
	turn = w->turns++;
	pthread_mutex_unlock(&w->lock);
	return turn;
}

static bool claim_from_map(struct walk *w, struct hand *h)
{
	const struct set *set = w->set;

	h->place = NULL;
	pthread_mutex_lock(&w->lock);
	while (w->next < set->places && !h->place) {
		const struct place *p = set->map[w->next++];

		if (!p->spare && walk_wants(w, p->entry.source_offset, p->entry.source_length)) {
			h->place = p;
			h->turn = w->turns++;
		}
	}
	pthread_mutex_unlock(&w->lock);
	return h->place;
}

/* The next record of a stream, into the hand's reader.  With the lane's lock. */
static bool claim_from_stream(struct walk *w, struct lane *lane, struct hand *h)
{
	struct error e;
	enum status status = record_reader_take(&h->reader, &lane->scan, &e);

	h->place = NULL;
	if (!status) {
		h->turn = take_turn(w);
		return true;
	}
	lane->ended = true;
	if (status == STATUS_END)
		return false;
	if (!w->settings.past_damage || status == STATUS_SYSTEM) {
		walk_end(w, status, &e);
		return false;
	}
	walk_tell_damage(w, &e);
	return false;
}

static bool claim_from_places(struct walk *w, struct lane *lane, struct hand *h)
{
	struct member *m = lane->member;

	while (lane->next < m->count) {
		const struct place *p = &m->places[lane->next++];

		if (p->spare || !walk_wants(w, p->entry.source_offset, p->entry.source_length))
			continue;
		h->place = p;
		return true;
	}
	lane->ended = true;
	return false;
}

/* With wait it stands in line for a stream that another thread is reading. */
static bool claim_from_lane(struct walk *w, struct lane *lane, struct hand *h, bool wait)
{
	bool claimed = false;

	if (wait)
		pthread_mutex_lock(&lane->lock);
	else if (pthread_mutex_trylock(&lane->lock) != 0)
		return false;
	if (!lane->ended && !w->stopping)
		claimed = lane->member->is_stream ? claim_from_stream(w, lane, h)
						  : claim_from_places(w, lane, h);
	pthread_mutex_unlock(&lane->lock);
	return claimed;
}

/*
 * A hand with a stream for its home reads nothing else until that one ends: with a
 * hand to each stream, none is left unread while its sender holds up another.
 */
static bool claim_at_home(struct walk *w, struct hand *h)
{
	return h->home < w->set->count && w->lanes[h->home].member->is_stream &&
	       claim_from_lane(w, &w->lanes[h->home], h, true);
}

bool walk_claim(struct walk *w, struct hand *h)
{
	if (w->stopping)
		return false;
	if (w->settings.ordered && !w->set->has_stream)
		return claim_from_map(w, h);
	if (claim_at_home(w, h))
		return true;
	/* Around the members, so that all are read at once. */
	for (int wait = 0; wait < 2; wait++) {
		for (unsigned i = 0; i < w->set->count; i++) {
			unsigned lane = (h->lane + i) % w->set->count;

			if (claim_from_lane(w, &w->lanes[lane], h, wait)) {
				h->lane = lane + 1;
				return true;
			}
		}
	}
	return false;
}
