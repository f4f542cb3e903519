// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "set/read/collected.h"

struct collected {
	pthread_mutex_t lock;
	/* Under the lock: */
	void *tree;			/* of struct kept; owned */
	size_t size;			/* bytes in it */
};

struct kept {
	uint64_t offset;		/* of the cell */
	uint64_t kind;
	struct error damage;
	struct granule granules[];
};

static int compare(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

enum status collected_new(struct collected **collected, struct error *e)
{
	struct collected *known = calloc(1, sizeof(*known));

	*collected = known;
	if (!known)
		return error_system(e, ENOMEM, "granules of a cell");
	pthread_mutex_init(&known->lock, NULL);
	return STATUS_OK;
}

void collected_free(struct collected *known)
{
	if (!known)
		return;
	tdestroy(known->tree, free);
	pthread_mutex_destroy(&known->lock);
	free(known);
}

bool collected_recall(struct collected *known, uint64_t kind, struct set_cell *c, struct error *damage)
{
	const struct kept key = { .offset = c->offset, .kind = kind };
	struct kept *const *found;

	pthread_mutex_lock(&known->lock);
	found = tfind(&key, &known->tree, compare);
	if (found) {
		memcpy(c->granules, (*found)->granules, c->count * sizeof(*c->granules));
		*damage = (*found)->damage;
	}
	pthread_mutex_unlock(&known->lock);
	return found;
}

/* With the lock.  False: it was not added. */
static bool add(struct collected *known, struct kept *k, size_t size)
{
	struct kept **found;

	if (known->size + size > COLLECTED_MAX) {
		tdestroy(known->tree, free);
		known->tree = NULL;
		known->size = 0;
	}
	found = tsearch(k, &known->tree, compare);
	if (!found || *found != k)
		return false;
	known->size += size;
	return true;
}

void collected_keep(struct collected *known, uint64_t kind, const struct set_cell *c,
		    const struct error *damage)
{
	size_t size = c->count * sizeof(*c->granules);
	struct kept *k;
	bool added;

	k = malloc(sizeof(*k) + size);
	if (!k)
		return;
	*k = (struct kept){ .offset = c->offset, .kind = kind, .damage = *damage };
	memcpy(k->granules, c->granules, size);
	pthread_mutex_lock(&known->lock);
	added = add(known, k, sizeof(*k) + size);
	pthread_mutex_unlock(&known->lock);
	if (!added)
		free(k);
}
