// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <malloc.h>
#include <stdlib.h>

#include "mount/store.h"

/* The heap's overhead for a buffer and its struct cached: a good part of a record of one page. */
enum { HEAP_OVERHEAD = 2 * 2 * sizeof(size_t) };

void cached_free(struct cached *cached)
{
	free(cached->loaded.bytes);
	free(cached);
}

size_t cached_size(const struct cached *cached)
{
	return sizeof(*cached) + malloc_usable_size(cached->loaded.bytes) + HEAP_OVERHEAD;
}

bool store_init(struct store *s, size_t locations, uint64_t limit)
{
	*s = (struct store){ .limit = limit };
	s->by_location = calloc(locations + 1, sizeof(*s->by_location));
	return s->by_location;
}

void store_free(struct store *s)
{
	while (s->newest) {
		struct cached *cached = s->newest;

		s->newest = cached->older;
		cached_free(cached);
	}
	while (s->spares_count)
		free(s->spares[--s->spares_count]);
	free(s->by_location);
}

struct cached *store_add(struct store *s, size_t location)
{
	struct cached *cached = calloc(1, sizeof(*cached));

	if (!cached)
		return NULL;
	cached->location = location;
	cached->state = LOADING;
	cached->users = 1;
	s->by_location[location] = cached;
	return cached;
}

static void unlink_cached(struct store *s, struct cached *cached)
{
	*(cached->newer ? &cached->newer->older : &s->newest) = cached->older;
	*(cached->older ? &cached->older->newer : &s->oldest) = cached->newer;
	cached->newer = cached->older = NULL;
}

static void link_newest(struct store *s, struct cached *cached)
{
	cached->older = s->newest;
	*(s->newest ? &s->newest->newer : &s->oldest) = cached;
	s->newest = cached;
}

static void link_oldest(struct store *s, struct cached *cached)
{
	cached->newer = s->oldest;
	*(s->oldest ? &s->oldest->older : &s->newest) = cached;
	s->oldest = cached;
}

void store_ready(struct store *s, struct cached *cached)
{
	cached->state = READY;
	link_newest(s, cached);
	s->used += cached->size;
	store_evict(s);
}

static void take_out(struct store *s, struct cached *cached)
{
	s->by_location[cached->location] = NULL;
	if (cached->state != READY)
		return;
	s->used -= cached->size;
	unlink_cached(s, cached);
}

void store_remove(struct store *s, struct cached *cached)
{
	take_out(s, cached);
	cached->state = FAILED;
}

void store_make_newest(struct store *s, struct cached *cached)
{
	unlink_cached(s, cached);
	link_newest(s, cached);
}

void store_make_oldest(struct store *s, struct cached *cached)
{
	unlink_cached(s, cached);
	link_oldest(s, cached);
}

static void evict_one(struct store *s, struct cached *cached)
{
	take_out(s, cached);
	if (cached->loaded.unpacked && s->spares_count < SPARE_BUFFERS) {
		s->spares[s->spares_count++] = cached->loaded.bytes;
		cached->loaded.bytes = NULL;
	}
	cached_free(cached);
}

void store_evict(struct store *s)
{
	struct cached *cached = s->oldest;

	while (cached && s->used > s->limit) {
		struct cached *newer = cached->newer;

		if (!cached->users)
			evict_one(s, cached);
		cached = newer;
	}
}

uint8_t *store_take_spare(struct store *s)
{
	return s->spares_count ? s->spares[--s->spares_count] : NULL;
}
