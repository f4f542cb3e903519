// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "mount/hand.h"

/* The largest that vmcoreinfo_page_size() gives. */
enum { PAGE_SIZE_MAX = 65536 };

void hands_init(struct hands *hands)
{
	*hands = (struct hands){ 0 };
	pthread_mutex_init(&hands->lock, NULL);
}

static void hand_free(struct hand *hand)
{
	record_reader_free(&hand->reader);
	free(hand->block);
	free(hand->page);
	free(hand->answer);
	free(hand);
}

void hands_free(struct hands *hands)
{
	while (hands->idle) {
		struct hand *hand = hands->idle;

		hands->idle = hand->next;
		hand_free(hand);
	}
	pthread_mutex_destroy(&hands->lock);
}

/* What is not touched of its buffers costs no memory. */
static struct hand *hand_new(void)
{
	struct hand *hand = calloc(1, sizeof(*hand));

	if (!hand)
		return NULL;
	hand->block = malloc(BLOCK_SIZE_MAX);
	hand->page = malloc(PAGE_SIZE_MAX);
	if (hand->block && hand->page)
		return hand;
	hand_free(hand);
	return NULL;
}

struct hand *hands_take(struct hands *hands)
{
	struct hand *hand;

	pthread_mutex_lock(&hands->lock);
	hand = hands->idle;
	if (hand)
		hands->idle = hand->next;
	pthread_mutex_unlock(&hands->lock);
	return hand ? hand : hand_new();
}

void hands_give_back(struct hands *hands, struct hand *hand)
{
	pthread_mutex_lock(&hands->lock);
	hand->next = hands->idle;
	hands->idle = hand;
	pthread_mutex_unlock(&hands->lock);
}

uint8_t *hand_answer(struct hand *hand, size_t len)
{
	uint8_t *grown;

	if (len <= hand->room)
		return hand->answer;
	grown = realloc(hand->answer, len);
	if (!grown)
		return NULL;
	hand->answer = grown;
	hand->room = len;
	return grown;
}
