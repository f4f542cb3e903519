// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walking in the order of the source.  Records are claimed in order and become ready in any;
 * the thread that makes the next one ready delivers it, and all that are ready behind
 * it, while the others go on.  A thread that is ahead puts its record down and takes another
 * hand; it waits only when there is none.  (A thread that waited for its turn with the record in
 * its hand had two CPUs idle for a quarter of the time, and twice as many threads more.)
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "set/walk_state.h"

unsigned order_hands(unsigned threads)
{
	return threads == 1 ? 1 : 2 * threads;
}

enum status order_init(struct walk *w, struct error *e)
{
	struct order *o = &w->order;

	o->ready = calloc(w->hands_count, sizeof(struct hand *));
	o->free = calloc(w->hands_count, sizeof(struct hand *));
	if (!o->ready || !o->free)
		return error_system(e, ENOMEM, "walk");
	while (o->free_count < w->hands_count) {
		o->free[o->free_count] = &w->hands[o->free_count];
		o->free_count++;
	}
	return STATUS_OK;
}

void order_free(struct walk *w)
{
	free(w->order.ready);
	free(w->order.free);
}

/* NULL: all go home. */
static struct hand *take_hand(struct walk *w)
{
	struct order *o = &w->order;
	struct hand *h = NULL;

	pthread_mutex_lock(&w->lock);
	while (!o->free_count && !w->stopping)
		pthread_cond_wait(&w->freed, &w->lock);
	if (!w->stopping)
		h = o->free[--o->free_count];
	pthread_mutex_unlock(&w->lock);
	return h;
}

/* With the lock. */
static void free_hand(struct walk *w, struct hand *h)
{
	w->order.free[w->order.free_count++] = h;
	pthread_cond_signal(&w->freed);
}

/* With the lock, which is let go while a record is delivered. */
static void deliver_ready(struct walk *w)
{
	struct order *o = &w->order;
	struct hand *h;

	while ((h = o->ready[o->turn % w->hands_count])) {
		o->ready[o->turn % w->hands_count] = NULL;
		pthread_mutex_unlock(&w->lock);
		walk_hand_over(h);
		pthread_mutex_lock(&w->lock);
		o->turn++;
		free_hand(w, h);
	}
}

static void put_down(struct walk *w, struct hand *h)
{
	struct order *o = &w->order;

	pthread_mutex_lock(&w->lock);
	o->ready[h->turn % w->hands_count] = h;
	if (!o->delivering) {
		o->delivering = true;
		deliver_ready(w);
		o->delivering = false;
	}
	pthread_mutex_unlock(&w->lock);
}

void order_live(void *arg, unsigned number)
{
	struct walk *w = arg;
	struct hand *h;

	(void)number;
	while ((h = take_hand(w)) && walk_claim(w, h)) {
		walk_prepare(h);
		put_down(w, h);
	}
	if (!h)
		return;
	pthread_mutex_lock(&w->lock);
	free_hand(w, h);
	pthread_mutex_unlock(&w->lock);
}
