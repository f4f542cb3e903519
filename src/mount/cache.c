// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "mount/cache.h"
#include "mount/findings.h"
#include "mount/store.h"

/*
 * nsplit-mount calls memory_return(), so that large buffers do not come from the heap: records
 * differ in size, and the heap grew to twice the limit.
 */
struct cache {
	const struct set *set;		/* borrowed */
	struct findings findings;	/* partly under the lock */
	pthread_mutex_t lock;
	pthread_cond_t loaded;		/* a record is no longer LOADING */
	struct store store;		/* under the lock */
};

uint64_t cache_record_max(const struct set *set)
{
	return sizeof(struct cached) + set_record_length_max(set) + ALIGNMENT;
}

enum status cache_new(struct cache **cache, const struct set *set,
		      const struct cache_settings *settings, struct error *e)
{
	struct cache *c = calloc(1, sizeof(*c));
	bool enough;

	*cache = c;
	if (!c)
		return error_system(e, ENOMEM, "cache of %zu records", set->locations);
	c->set = set;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->loaded, NULL);
	enough = findings_init(&c->findings, set, settings->damaged, settings->arg);
	if (store_init(&c->store, set->locations, settings->limit) && enough)
		return STATUS_OK;
	cache_free(c);
	*cache = NULL;
	return error_system(e, ENOMEM, "cache of %zu records", set->locations);
}

void cache_free(struct cache *cache)
{
	if (!cache)
		return;
	store_free(&cache->store);
	findings_free(&cache->findings);
	pthread_cond_destroy(&cache->loaded);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

/* --- loading ----------------------------------------------------------------------- */

static uint8_t *take_unpacked_buffer(struct cache *cache)
{
	uint8_t *spare;

	pthread_mutex_lock(&cache->lock);
	spare = store_take_spare(&cache->store);
	pthread_mutex_unlock(&cache->lock);
	return spare ? spare : malloc(cache->set->chunk_size);
}

/* Unpacks a record, or leaves it packed if that is not possible. */
static void unpack(struct cache *cache, struct buffers *buffers, struct loaded *loaded)
{
	uint8_t *bytes = take_unpacked_buffer(cache);

	if (bytes && !loaded_unpack(loaded, buffers, bytes))
		free(bytes);
}

/* Loads a record that this thread has added.  Called without the lock. */
static void load(struct cache *cache, struct buffers *buffers, struct cached *cached,
		 enum cached_form form, struct error *e)
{
	double began = clock_seconds();
	struct loaded *loaded = &cached->loaded;
	enum status status = loaded_load(loaded, cache->set, cached->location, buffers, e);

	if (!status && form == CACHED_UNPACKED)
		unpack(cache, buffers, loaded);
	if (status && status != STATUS_NO_MEMORY)
		findings_report(&cache->findings, cached->location,
				loaded_may_recover(status) ? REPORTED_ERROR : REPORTED_DAMAGE, e);
	cached->size = cached_size(cached);
	cached->status = status;
	pthread_mutex_lock(&cache->lock);
	findings_note(&cache->findings, cached->location, status, began);
	if (status)
		store_remove(&cache->store, cached);
	else
		store_ready(&cache->store, cached);
	pthread_cond_broadcast(&cache->loaded);
	pthread_mutex_unlock(&cache->lock);
}

/* --- taking and releasing ----------------------------------------------------------- */

/* Adds this thread to the users of a record.  Under the lock, which is released while waiting. */
static void join_users(struct cache *cache, struct cached *cached)
{
	cached->users++;
	while (cached->state == LOADING)
		pthread_cond_wait(&cache->loaded, &cache->lock);
	if (cached->state == READY)
		store_make_newest(&cache->store, cached);
}

/* The result of a look-up in cache_take(). */
struct found {
	struct cached *cached;		/* NULL: none, because of the verdict or of short memory */
	bool to_load;			/* this thread must load it */
	enum status verdict;
};

static struct found find_or_add(struct cache *cache, size_t location)
{
	struct found found;

	pthread_mutex_lock(&cache->lock);
	found = (struct found){
		.cached = cache->store.by_location[location],
		.verdict = findings_verdict(&cache->findings, location),
	};
	if (found.cached) {
		join_users(cache, found.cached);
	} else if (!found.verdict) {
		found.cached = store_add(&cache->store, location);
		found.to_load = found.cached;
	}
	pthread_mutex_unlock(&cache->lock);
	return found;
}

enum status cache_take(struct cache *cache, struct buffers *buffers, size_t location,
		       enum cached_form form, struct cached **cached, struct error *e)
{
	struct found found = find_or_add(cache, location);
	enum status status;

	*cached = NULL;
	if (!found.cached)
		return findings_error(&cache->findings, location,
				      found.verdict ? found.verdict : STATUS_NO_MEMORY, e);
	if (found.to_load)
		load(cache, buffers, found.cached, form, e);
	/* Constant now, as long as this thread is a user. */
	status = found.cached->status;
	if (!status) {
		*cached = found.cached;
		return STATUS_OK;
	}
	/* The thread that has loaded it has the original error. */
	if (!found.to_load)
		findings_error(&cache->findings, location, status, e);
	cache_release(cache, found.cached, false);
	if (loaded_may_recover(status))
		return STATUS_SYSTEM;
	return status == STATUS_NO_MEMORY ? status : STATUS_DAMAGED;
}

void cache_release(struct cache *cache, struct cached *cached, bool finished)
{
	pthread_mutex_lock(&cache->lock);
	if (finished && cached->state == READY && cached->loaded.unpacked)
		store_make_oldest(&cache->store, cached);
	cached->users--;
	if (!cached->users && cached->state == READY)
		store_evict(&cache->store);
	else if (!cached->users)
		cached_free(cached);
	pthread_mutex_unlock(&cache->lock);
}

void cache_report(struct cache *cache, size_t location, const struct error *e)
{
	findings_report(&cache->findings, location,
			loaded_may_recover(e->status) ? REPORTED_ERROR : REPORTED_DAMAGE, e);
}

bool cache_has(struct cache *cache, size_t location)
{
	bool has;

	pthread_mutex_lock(&cache->lock);
	has = cache->store.by_location[location] || findings_verdict(&cache->findings, location);
	pthread_mutex_unlock(&cache->lock);
	return has;
}

uint64_t cache_used(struct cache *cache)
{
	uint64_t used;

	pthread_mutex_lock(&cache->lock);
	used = cache->store.used;
	pthread_mutex_unlock(&cache->lock);
	return used;
}

enum status cached_read(const struct cached *cached, struct buffers *buffers, uint64_t at,
			size_t len, uint8_t *dst, struct error *e)
{
	return loaded_read(&cached->loaded, buffers, at, len, dst, e);
}
