// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/thread_pool.h"
#include "mount/cache.h"

/* The largest page size that vmcoreinfo_page_size() accepts. */
enum { PAGE_SIZE_MAX = 65536 };

void buffer_pool_init(struct buffer_pool *pool)
{
	*pool = (struct buffer_pool){ 0 };
	pthread_mutex_init(&pool->lock, NULL);
}

static void buffers_free(struct buffers *buffers)
{
	resolver_free(&buffers->resolver);
	record_reader_free(&buffers->reader);
	free(buffers->block);
	free(buffers->page);
	free(buffers->answer);
	free(buffers);
}

void buffer_pool_free(struct buffer_pool *pool)
{
	while (pool->idle) {
		struct buffers *buffers = pool->idle;

		pool->idle = buffers->next;
		buffers_free(buffers);
	}
	pthread_mutex_destroy(&pool->lock);
}

/* Pages of these buffers take no memory until they are written. */
static struct buffers *buffers_new(void)
{
	struct buffers *buffers = calloc(1, sizeof(*buffers));

	if (!buffers)
		return NULL;
	buffers->block = malloc(BLOCK_SIZE_MAX);
	buffers->page = malloc(PAGE_SIZE_MAX);
	if (buffers->block && buffers->page)
		return buffers;
	buffers_free(buffers);
	return NULL;
}

struct buffers *buffer_pool_take(struct buffer_pool *pool)
{
	struct buffers *buffers;

	pthread_mutex_lock(&pool->lock);
	buffers = pool->idle;
	if (buffers)
		pool->idle = buffers->next;
	pthread_mutex_unlock(&pool->lock);
	return buffers ? buffers : buffers_new();
}

void buffer_pool_return(struct buffer_pool *pool, struct buffers *buffers)
{
	pthread_mutex_lock(&pool->lock);
	buffers->next = pool->idle;
	pool->idle = buffers;
	pthread_mutex_unlock(&pool->lock);
}

struct resolver *buffers_resolver(struct buffers *buffers, const struct set *set)
{
	struct resolver *r = &buffers->resolver;
	struct error ignored;

	if (r->set)
		return r;
	if (!resolver_init(r, set, &ignored))
		return r;
	resolver_free(r);
	*r = (struct resolver){ 0 };
	return NULL;
}

uint8_t *buffers_answer(struct buffers *buffers, size_t len)
{
	uint8_t *grown;

	if (len <= buffers->answer_size)
		return buffers->answer;
	grown = realloc(buffers->answer, len);
	if (!grown)
		return NULL;
	buffers->answer = grown;
	buffers->answer_size = len;
	return grown;
}

bool loaded_may_recover(enum status status)
{
	return status == STATUS_SYSTEM || status == STATUS_CUT;
}

/* The reader of the buffers works on the record, but does not own it. */
static void lend(struct buffers *buffers, const struct loaded *l)
{
	buffers->reader.raw = l->bytes;
	buffers->reader.record = l->record;
	buffers->reader.member = l->member;
	buffers->reader.offset = l->offset;
}

static void take_back(struct buffers *buffers)
{
	buffers->reader.raw = NULL;
}

/* Loads the record at a location. */
static enum status loaded_load(struct loaded *l, const struct set *set, size_t location, struct buffers *buffers,
			       struct error *e)
{
	struct record_reader *reader = &buffers->reader;
	enum status status;

	l->bytes = malloc(set->map[location]->entry.record_length);
	if (!l->bytes)
		return error_system(e, ENOMEM, "record buffer");
	reader->raw = l->bytes;
	status = record_reader_load(reader, set, set->map[location], e);
	l->record = reader->record;
	l->member = reader->member;
	l->offset = reader->offset;
	take_back(buffers);
	return status;
}

/*
 * Unpacks a loaded record into plain, a buffer from malloc() of chunk_size bytes, and takes it
 * over.  Returns false, with the record as it was, if a block cannot be unpacked.
 */
static bool loaded_unpack(struct loaded *l, struct buffers *buffers, uint8_t *plain)
{
	enum status status;
	struct error e;

	/* The reader does not write zero blocks. */
	memset(plain, 0, l->record.stored_length);
	lend(buffers, l);
	status = record_reader_unpack(&buffers->reader, plain, &e);
	take_back(buffers);
	if (status)
		return false;
	free(l->bytes);
	l->bytes = plain;
	l->unpacked = true;
	return true;
}

/* Unpacks block i of the record, unless the buffers have it already. */
static enum status unpack_block(const struct loaded *l, struct buffers *buffers, uint32_t i, struct error *e)
{
	enum status status;

	if (buffers->block_member == l->member && buffers->block_record == l->offset && buffers->block_number == i)
		return STATUS_OK;
	status = record_reader_unpack_block(&buffers->reader, i, buffers->block, e);
	buffers->block_member = status ? NULL : l->member;
	buffers->block_record = l->offset;
	buffers->block_number = i;
	return status;
}

/*
 * Reads bytes from within to within + len of block i.  A whole block is unpacked directly to dst.
 */
static enum status read_block(const struct loaded *l, struct buffers *buffers, uint32_t i, size_t within, size_t len,
			      uint8_t *dst, struct error *e)
{
	enum status status;

	if (len == record_block_length(&l->record, i))
		return record_reader_unpack_block(&buffers->reader, i, dst, e);
	status = unpack_block(l, buffers, i, e);
	if (!status)
		memcpy(dst, buffers->block + within, len);
	return status;
}

enum status cached_read(const struct cached *cached, struct buffers *buffers, uint64_t at,
			size_t len, uint8_t *dst, struct error *e)
{
	const struct loaded *l = &cached->loaded;
	const struct record *record = &l->record;
	enum status status = STATUS_OK;

	if (l->unpacked) {
		memcpy(dst, l->bytes + at, len);
		return STATUS_OK;
	}
	lend(buffers, l);
	while (len && !status) {
		uint32_t i = (uint32_t)(at / record->block_size);
		size_t within = at % record->block_size;
		size_t some = min_u64(len, record_block_length(record, i) - within);

		status = read_block(l, buffers, i, within, some, dst, e);
		dst += some;
		at += some;
		len -= some;
	}
	take_back(buffers);
	return status;
}

/* --- the store: records up to a limit of memory, in the order of eviction; under the lock of the cache --- */

/*
 * Buffers of evicted unpacked records, for the next ones.  New memory costs a page fault for each
 * page, which takes a sixth of the speed of a sequential reader.
 */
enum { SPARE_BUFFERS = 2 };

struct store {
	uint64_t limit, used;		/* bytes */
	struct cached **by_location;	/* NULL: not in the store; owned */
	struct cached *newest, *oldest;
	uint8_t *spares[SPARE_BUFFERS];	/* chunk_size bytes each; owned */
	unsigned spares_count;
};

/* The heap's overhead for a buffer and its struct cached: a good part of a record of one page. */
enum { HEAP_OVERHEAD = 2 * 2 * sizeof(size_t) };

static void cached_free(struct cached *cached)
{
	free(cached->loaded.bytes);
	free(cached);
}

/* The size by which a record counts: all its memory, with the overhead of the heap. */
static size_t cached_size(const struct cached *cached)
{
	return sizeof(*cached) + malloc_usable_size(cached->loaded.bytes) + HEAP_OVERHEAD;
}

/* False: memory is short.  Call store_free() in any case. */
static bool store_init(struct store *s, size_t locations, uint64_t limit)
{
	*s = (struct store){ .limit = limit };
	s->by_location = calloc(locations + 1, sizeof(*s->by_location));
	return s->by_location;
}

static void store_free(struct store *s)
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

/* Adds a LOADING record with one user.  NULL if memory is short. */
static struct cached *store_add(struct store *s, size_t location)
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

static void take_out(struct store *s, struct cached *cached)
{
	s->by_location[cached->location] = NULL;
	if (cached->state != READY)
		return;
	s->used -= cached->size;
	unlink_cached(s, cached);
}

/* The record FAILED: removes it, but does not free it. */
static void store_remove(struct store *s, struct cached *cached)
{
	take_out(s, cached);
	cached->state = FAILED;
}

/* Change the place of a READY record in the order of eviction. */
static void store_make_newest(struct store *s, struct cached *cached)
{
	unlink_cached(s, cached);
	link_newest(s, cached);
}

static void store_make_oldest(struct store *s, struct cached *cached)
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

/* A spare buffer, or NULL. */
static uint8_t *store_take_spare(struct store *s)
{
	return s->spares_count ? s->spares[--s->spares_count] : NULL;
}

/* Frees the oldest records without users until the limit is kept, or none is left. */
static void store_evict(struct store *s)
{
	struct cached *cached = s->oldest;

	while (cached && s->used > s->limit) {
		struct cached *newer = cached->newer;

		if (!cached->users)
			evict_one(s, cached);
		cached = newer;
	}
}

/* The record is READY, and becomes the newest.  Evicts others. */
static void store_ready(struct store *s, struct cached *cached)
{
	cached->state = READY;
	link_newest(s, cached);
	s->used += cached->size;
	store_evict(s);
}

/* --- the cache ----------------------------------------------------------- */

/*
 * The state of each record of a set: whether it is lost, when to try again, and what was reported.
 */

/* The last report about a record.  Damage is reported even after a system error was. */
enum reported { REPORTED_NOTHING, REPORTED_ERROR, REPORTED_DAMAGE };

struct findings {
	const struct set *set;		/* borrowed */
	void (*damaged)(void *arg, const struct error *e);	/* called under reporting */
	void *arg;
	pthread_mutex_t reporting;	/* never taken under the lock of the cache */
	struct finding *list;		/* by index in the map; owned */
};

/*
 * After a temporary error, the record is not tried again for PAUSE times as long as the attempt
 * took: a bad sector may occupy a device for half a minute, and the kernel asks for each page of a
 * record.
 */
enum { PAUSE = 10 };

struct finding {
	/* Under the lock of the cache: */
	bool lost;
	double retry;			/* clock_seconds() before which it is not tried; or 0 */
	/* Under reporting: */
	uint8_t reported;		/* an enum reported */
};

/* False: memory is short.  Call findings_free() in any case. */
static bool findings_init(struct findings *f, const struct set *set,
			  void (*damaged)(void *arg, const struct error *e), void *arg)
{
	*f = (struct findings){ .set = set, .damaged = damaged, .arg = arg };
	pthread_mutex_init(&f->reporting, NULL);
	f->list = calloc(set->locations + 1, sizeof(*f->list));
	return f->list;
}

static void findings_free(struct findings *f)
{
	free(f->list);
	pthread_mutex_destroy(&f->reporting);
}

/* STATUS_OK: try to load the record.  STATUS_DAMAGED: it is lost.  STATUS_SYSTEM: not yet. */
static enum status findings_verdict(const struct findings *f, size_t location)
{
	const struct finding *finding = &f->list[location];

	if (finding->lost)
		return STATUS_DAMAGED;
	return finding->retry > 0 && clock_seconds() < finding->retry ? STATUS_SYSTEM : STATUS_OK;
}

/* Notes how loading a record ended.  began is the clock_seconds() before it. */
static void findings_note(struct findings *f, size_t location, enum status status, double began)
{
	struct finding *finding = &f->list[location];
	double now = clock_seconds();

	if (loaded_may_recover(status))
		finding->retry = now + PAUSE * (now - began);
	else if (status && status != STATUS_NO_MEMORY)
		finding->lost = true;
}

/* Reports an error of a record, unless that was done before. */
static void findings_report(struct findings *f, size_t location, enum reported what,
			    const struct error *e)
{
	struct finding *finding = &f->list[location];

	pthread_mutex_lock(&f->reporting);
	if (finding->reported < what) {
		finding->reported = (uint8_t)what;
		f->damaged(f->arg, e);
	}
	pthread_mutex_unlock(&f->reporting);
}

/*
 * The error for a reader whose record could not be loaded, now or earlier; the reason was reported.
 * Returns STATUS_NO_MEMORY, STATUS_SYSTEM if it will be tried again, or STATUS_DAMAGED.
 */
static enum status findings_error(const struct findings *f, size_t location, enum status status,
				  struct error *e)
{
	const struct index_entry *entry = &f->set->map[location]->entry;
	uint64_t first = entry->source_offset, last = first + entry->source_length - 1;

	if (status == STATUS_NO_MEMORY)
		return error_system(e, ENOMEM, "record buffer");
	if (loaded_may_recover(status))
		return error_set(e, STATUS_SYSTEM, "the record of bytes %" PRIu64 " to %" PRIu64
				 " of the source cannot be read now", first, last);
	return error_set(e, STATUS_DAMAGED, "the record of bytes %" PRIu64 " to %" PRIu64
			 " of the source is lost", first, last);
}

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

enum {
	QUEUE = 64,			/* records; further requests are dropped */
	SEQUENTIAL = 256 << 10,		/* bytes read in sequence that make a sequential reader */
	/* The kernel reads ahead, too, with several requests that arrive in any order. */
	DISORDER = 1 << 20,
	/* No more is counted, so that the end of a sequence is noticed soon. */
	LENGTH_MAX = 4 * SEQUENTIAL,
};

struct readahead {
	const struct set *set;		/* these three are borrowed */
	struct cache *cache;
	struct buffer_pool *pool;
	uint64_t distance;
	pthread_t *threads;		/* owned */
	unsigned count;			/* threads that were started */
	pthread_mutex_t lock;
	pthread_cond_t work, idle;
	/* Under the lock: */
	size_t queue[QUEUE];		/* indexes in the map of the set; a ring */
	unsigned first, waiting, busy;
	bool stopping;
};

void sequence_init(struct sequence *sequence)
{
	*sequence = (struct sequence){ 0 };
	pthread_mutex_init(&sequence->lock, NULL);
}

void sequence_free(struct sequence *sequence)
{
	pthread_mutex_destroy(&sequence->lock);
}

/* --- the threads ------------------------------------------------------------------ */

static void read_one(struct readahead *r, size_t location)
{
	struct buffers *buffers = buffer_pool_take(r->pool);
	struct cached *cached;
	struct error e;

	if (buffers && !cache_has(r->cache, location) &&
	    !cache_take(r->cache, buffers, location, CACHED_UNPACKED, &cached, &e))
		cache_release(r->cache, cached, false);
	if (buffers)
		buffer_pool_return(r->pool, buffers);
}

static void *thread_main(void *arg)
{
	struct readahead *r = arg;

	pthread_mutex_lock(&r->lock);
	while (!r->stopping) {
		size_t location;

		if (!r->waiting) {
			pthread_cond_wait(&r->work, &r->lock);
			continue;
		}
		location = r->queue[r->first];
		r->first = (r->first + 1) % QUEUE;
		r->waiting--;
		r->busy++;
		pthread_mutex_unlock(&r->lock);
		read_one(r, location);
		pthread_mutex_lock(&r->lock);
		r->busy--;
		pthread_cond_broadcast(&r->idle);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* Returns 0 or an errno. */
static int start_threads(struct readahead *r, unsigned threads)
{
	int failed = 0;

	for (; r->count < threads && !failed; r->count += !failed)
		failed = thread_start(&r->threads[r->count], 0, thread_main, r);
	return failed;
}

enum status readahead_new(struct readahead **readahead, const struct set *set,
			  struct cache *cache, struct buffer_pool *pool, unsigned threads,
			  uint64_t distance, struct error *e)
{
	struct readahead *r = calloc(1, sizeof(*r));
	int failed;

	*readahead = r;
	if (!r)
		return error_system(e, ENOMEM, "%u threads", threads);
	*r = (struct readahead){ .set = set, .cache = cache, .pool = pool, .distance = distance };
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->work, NULL);
	pthread_cond_init(&r->idle, NULL);
	r->threads = calloc(threads, sizeof(*r->threads));
	failed = r->threads ? start_threads(r, threads) : ENOMEM;
	if (!failed)
		return STATUS_OK;
	readahead_free(r);
	*readahead = NULL;
	return error_system(e, failed, "%u threads", threads);
}

void readahead_free(struct readahead *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->stopping = true;
	pthread_cond_broadcast(&r->work);
	pthread_mutex_unlock(&r->lock);
	while (r->count)
		pthread_join(r->threads[--r->count], NULL);
	pthread_cond_destroy(&r->idle);
	pthread_cond_destroy(&r->work);
	pthread_mutex_destroy(&r->lock);
	free(r->threads);
	free(r);
}

void readahead_settle(struct readahead *r)
{
	pthread_mutex_lock(&r->lock);
	while (r->waiting || r->busy)
		pthread_cond_wait(&r->idle, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

/* --- requests --------------------------------------------------------------------- */

/* False: the queue is full. */
static bool request(struct readahead *r, size_t location)
{
	bool queued;

	pthread_mutex_lock(&r->lock);
	queued = r->waiting < QUEUE;
	if (queued) {
		r->queue[(r->first + r->waiting++) % QUEUE] = location;
		pthread_cond_signal(&r->work);
	}
	pthread_mutex_unlock(&r->lock);
	return queued;
}

/* Requests the first record of every cell that begins or ends within the distance and was not requested yet. */
static void request_next(struct readahead *r, struct sequence *sequence)
{
	const struct set *set = r->set;
	uint64_t to = sequence->end + min_u64(r->distance, UINT64_MAX - sequence->end);

	sequence->requested = max_u64(sequence->requested, sequence->end);
	while (sequence->requested < to) {
		size_t location = set_find(set, sequence->requested);
		const struct index_entry *entry;

		if (location == set->locations)
			break;
		entry = &set->map[location]->entry;
		if (entry->source_offset >= to || !request(r, location))
			break;
		sequence->requested = (entry->source_offset / set->cell_size + 1) * set->cell_size;
	}
}

/*
 * A reader must advance to be sequential: reading back and forth between neighbouring pages, as
 * within a data structure, is not.  If two requests arrive in the wrong order, the first one
 * advances by the length of both and the second one does not.  A larger step counts as two requests
 * at most.
 */
static void extend(struct sequence *sequence, uint64_t end, size_t len)
{
	if (end > sequence->end) {
		sequence->length += min_u64(end - sequence->end, 2 * (uint64_t)len);
		sequence->end = end;
	} else {
		sequence->length -= min_u64(sequence->length, len);
	}
	sequence->length = min_u64(sequence->length, LENGTH_MAX);
}

void readahead_note(struct readahead *r, struct sequence *sequence, uint64_t offset, size_t len)
{
	uint64_t end = offset + len;

	pthread_mutex_lock(&sequence->lock);
	if (offset <= sequence->end + DISORDER && sequence->end <= end + DISORDER) {
		extend(sequence, end, len);
	} else {
		sequence->length = len;
		sequence->end = end;
		sequence->requested = 0;
	}
	if (sequence->length >= SEQUENTIAL)
		request_next(r, sequence);
	pthread_mutex_unlock(&sequence->lock);
}
