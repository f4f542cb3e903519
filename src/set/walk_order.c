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

unsigned order_slots(unsigned threads)
{
	return threads == 1 ? 1 : 2 * threads;
}

enum status order_init(struct walk *w, struct error *e)
{
	struct order *o = &w->order;

	o->ready = calloc(w->slots_count, sizeof(struct slot *));
	o->free = calloc(w->slots_count, sizeof(struct slot *));
	if (!o->ready || !o->free)
		return error_system(e, ENOMEM, "walk");
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

/* NULL: all go home. */
static struct slot *take_slot(struct walk *w)
{
	struct order *o = &w->order;
	struct slot *h = NULL;

	pthread_mutex_lock(&w->lock);
	while (!o->free_count && !w->stopping)
		pthread_cond_wait(&w->freed, &w->lock);
	if (!w->stopping)
		h = o->free[--o->free_count];
	pthread_mutex_unlock(&w->lock);
	return h;
}

/* With the lock. */
static void free_slot(struct walk *w, struct slot *h)
{
	w->order.free[w->order.free_count++] = h;
	pthread_cond_signal(&w->freed);
}

/* With the lock, which is let go while a record is delivered. */
static void deliver_ready(struct walk *w)
{
	struct order *o = &w->order;
	struct slot *h;

	while ((h = o->ready[o->turn % w->slots_count])) {
		o->ready[o->turn % w->slots_count] = NULL;
		pthread_mutex_unlock(&w->lock);
		walk_hand_over(h);
		pthread_mutex_lock(&w->lock);
		o->turn++;
		free_slot(w, h);
	}
}

static void put_down(struct walk *w, struct slot *h)
{
	struct order *o = &w->order;

	pthread_mutex_lock(&w->lock);
	o->ready[h->turn % w->slots_count] = h;
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
	struct slot *h;

	(void)number;
	while ((h = take_slot(w)) && walk_claim(w, h)) {
		walk_prepare(h);
		put_down(w, h);
	}
	if (!h)
		return;
	pthread_mutex_lock(&w->lock);
	free_slot(w, h);
	pthread_mutex_unlock(&w->lock);
}
