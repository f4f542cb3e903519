// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hands: what a thread needs to answer a request, which is too much to be made for each.
 *
 * Any thread may come with a request, so hands are lent: there are as many as were ever busy at
 * once.
 */
#ifndef NSPLIT_MOUNT_HAND_H
#define NSPLIT_MOUNT_HAND_H

#include <pthread.h>

#include "set/reader.h"

struct hand {
	struct record_reader reader;	/* its record is lent to it: see cache.c */
	uint8_t *block;			/* room for a block of any set; owned */
	uint8_t *page;			/* room for a page of any core; owned */
	uint8_t *answer;		/* hand_answer(); owned */
	size_t room;			/* bytes of it */
	struct hand *next;		/* among those that are idle */
};

struct hands {
	pthread_mutex_t lock;
	struct hand *idle;		/* under the lock; owned */
};

void hands_init(struct hands *hands);
/* All hands are back. */
void hands_free(struct hands *hands);

/* NULL: there is no memory for one. */
struct hand *hands_take(struct hands *hands);
void hands_give_back(struct hands *hands, struct hand *hand);

/* Room for len bytes, which is the hand's; NULL: there is no memory for it. */
uint8_t *hand_answer(struct hand *hand, size_t len);

#endif
