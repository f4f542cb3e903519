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

static void buffers_free(struct buffers *buffers)
{
	resolver_free(&buffers->resolver);
	record_reader_free(&buffers->reader);
	free(buffers->block);
	free(buffers->page);
	free(buffers->answer);
	free(buffers);
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
	status = record_reader_unpack(&buffers->reader, plain, true, &e);
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

/* --- the cache ----------------------------------------------------------- */

/*
 * Buffers of evicted unpacked records, for the next ones.  New memory costs a page fault for each
 * page, which takes a sixth of the speed of a sequential reader.
 */
enum { SPARE_BUFFERS = 2 };

/* The heap's overhead for a buffer and its struct cached: a good part of a record of one page. */
enum { HEAP_OVERHEAD = 2 * 2 * sizeof(size_t) };

/*
 * After a temporary error, the record is not tried again for PAUSE times as long as the attempt
 * took: a bad sector may occupy a device for half a minute, and the kernel asks for each page of a
 * record.
 */
enum { PAUSE = 10 };

/* The last report about a record.  Damage is reported even after a system error was. */
enum reported { REPORTED_NOTHING, REPORTED_ERROR, REPORTED_DAMAGE };

/* A record of the set. */
struct slot {
	/* Under the lock: */
	struct cached *cached;		/* NULL: not in the cache */
	bool lost;
	double retry;			/* clock_seconds() before which it is not tried; or 0 */
	/* Under reporting: */
	uint8_t reported;		/* an enum reported */
};

/*
 * nsplit-mount calls memory_return(), so that large buffers do not come from the heap: records
 * differ in size, and the heap grew to twice the limit.
 */
struct cache {
	const struct set *set;		/* borrowed */
	struct cache_settings settings;
	struct slot *slots;		/* by index in the map; owned */
	pthread_mutex_t reporting;	/* settings.damaged() is called under it; never taken under the lock */
	pthread_mutex_t lock;
	pthread_cond_t loaded;		/* a record is no longer LOADING */
	/* Under the lock: */
	uint64_t used;			/* bytes */
	struct cached *newest, *oldest;	/* the order of eviction */
	uint8_t *spares[SPARE_BUFFERS];	/* chunk_size bytes each; owned */
	unsigned spares_count;
	struct buffers *idle;		/* owned */
	struct readahead *readahead;	/* NULL: none; set before the first read; owned */
};

/* --- readahead ---------------------------------------------------------------------- */

enum {
	QUEUE = 64,			/* records; further requests are dropped */
	SEQUENTIAL = 256 << 10,		/* bytes read in sequence that make a sequential reader */
	/* The kernel reads ahead, too, with several requests that arrive in any order. */
	DISORDER = 1 << 20,
	/* No more is counted, so that the end of a sequence is noticed soon. */
	LENGTH_MAX = 4 * SEQUENTIAL,
	SEQUENCES = 32,			/* of as many readers, or places where one reads in turn */
};

/* The reads of one reader so far; several threads may serve it at once. */
struct sequence {
	uint64_t end;			/* of the latest read, or of the furthest in the sequence */
	uint64_t length;		/* bytes read in sequence, less those read again */
	uint64_t requested;		/* the records before this offset were requested */
	uint64_t latest;		/* the number of its latest read */
};

struct readahead {
	struct cache *cache;		/* borrowed */
	uint64_t distance;
	pthread_t *threads;		/* owned */
	unsigned count;			/* threads that were started */
	pthread_mutex_t lock;
	pthread_cond_t work, idle;
	/* Under the lock: */
	size_t queue[QUEUE];		/* indexes in the map of the set; a ring */
	unsigned first, waiting, busy;
	bool stopping;
	struct sequence sequences[SEQUENCES];
	uint64_t reads;
};

static void readahead_free(struct readahead *r)
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

uint64_t cache_record_max(const struct set *set)
{
	return sizeof(struct cached) + set_record_length_max(set) + ALIGNMENT;
}

enum status cache_new(struct cache **cache, const struct set *set,
		      const struct cache_settings *settings, struct error *e)
{
	struct cache *c = calloc(1, sizeof(*c));

	*cache = c;
	if (!c)
		return error_system(e, ENOMEM, "cache of %zu records", set->locations);
	c->set = set;
	c->settings = *settings;
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->reporting, NULL);
	pthread_cond_init(&c->loaded, NULL);
	c->slots = calloc(set->locations + 1, sizeof(*c->slots));
	if (c->slots)
		return STATUS_OK;
	cache_free(c);
	*cache = NULL;
	return error_system(e, ENOMEM, "cache of %zu records", set->locations);
}

static void cached_free(struct cached *cached)
{
	free(cached->loaded.bytes);
	free(cached);
}

void cache_free(struct cache *cache)
{
	if (!cache)
		return;
	readahead_free(cache->readahead);
	while (cache->newest) {
		struct cached *cached = cache->newest;

		cache->newest = cached->older;
		cached_free(cached);
	}
	while (cache->spares_count)
		free(cache->spares[--cache->spares_count]);
	while (cache->idle) {
		struct buffers *buffers = cache->idle;

		cache->idle = buffers->next;
		buffers_free(buffers);
	}
	free(cache->slots);
	pthread_cond_destroy(&cache->loaded);
	pthread_mutex_destroy(&cache->reporting);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

/* --- damage ------------------------------------------------------------------------- */

void cache_report(void *arg, size_t location, const struct error *e)
{
	struct cache *cache = arg;
	enum reported what = loaded_may_recover(e->status) ? REPORTED_ERROR : REPORTED_DAMAGE;
	struct slot *slot = &cache->slots[location];

	pthread_mutex_lock(&cache->reporting);
	if (slot->reported < what) {
		slot->reported = (uint8_t)what;
		cache->settings.damaged(cache->settings.arg, e);
	}
	pthread_mutex_unlock(&cache->reporting);
}

static void report_head(void *arg, size_t location, bool first, const struct error *e)
{
	(void)first;
	cache_report(arg, location, e);
}

/* STATUS_OK: try to load the record.  STATUS_DAMAGED: it is lost.  STATUS_SYSTEM: not yet. */
static enum status verdict_of(const struct slot *slot)
{
	if (slot->lost)
		return STATUS_DAMAGED;
	return slot->retry > 0 && clock_seconds() < slot->retry ? STATUS_SYSTEM : STATUS_OK;
}

/*
 * The error for a reader whose record could not be loaded, now or earlier; the reason was reported.
 * Returns STATUS_NO_MEMORY, STATUS_SYSTEM if it will be tried again, or STATUS_DAMAGED.
 */
static enum status failure(const struct cache *cache, size_t location, enum status status, struct error *e)
{
	const struct index_entry *entry = &cache->set->map[location]->entry;
	uint64_t first = entry->source_offset, last = first + entry->source_length - 1;

	if (status == STATUS_NO_MEMORY)
		return error_system(e, ENOMEM, "record buffer");
	if (loaded_may_recover(status))
		return error_set(e, STATUS_SYSTEM, "the record of bytes %" PRIu64 " to %" PRIu64
				 " of the source cannot be read now", first, last);
	return error_set(e, STATUS_DAMAGED, "the record of bytes %" PRIu64 " to %" PRIu64
			 " of the source is lost", first, last);
}

/* --- buffers ------------------------------------------------------------------------ */

/* Pages of these buffers take no memory until they are written. */
static struct buffers *buffers_new(struct cache *cache)
{
	struct buffers *buffers = calloc(1, sizeof(*buffers));
	struct error ignored;

	if (!buffers)
		return NULL;
	buffers->block = malloc(BLOCK_SIZE_MAX);
	buffers->page = malloc(PAGE_SIZE_MAX);
	if (!resolver_init(&buffers->resolver, cache->set, &ignored) && buffers->block && buffers->page) {
		buffers->resolver.damaged = report_head;
		buffers->resolver.arg = cache;
		return buffers;
	}
	buffers_free(buffers);
	return NULL;
}

struct buffers *cache_take_buffers(struct cache *cache)
{
	struct buffers *buffers;

	pthread_mutex_lock(&cache->lock);
	buffers = cache->idle;
	if (buffers)
		cache->idle = buffers->next;
	pthread_mutex_unlock(&cache->lock);
	return buffers ? buffers : buffers_new(cache);
}

void cache_return_buffers(struct cache *cache, struct buffers *buffers)
{
	pthread_mutex_lock(&cache->lock);
	buffers->next = cache->idle;
	cache->idle = buffers;
	pthread_mutex_unlock(&cache->lock);
}

/* --- records up to the limit, in the order of eviction; under the lock -------------- */

static void unlink_cached(struct cache *cache, struct cached *cached)
{
	*(cached->newer ? &cached->newer->older : &cache->newest) = cached->older;
	*(cached->older ? &cached->older->newer : &cache->oldest) = cached->newer;
	cached->newer = cached->older = NULL;
}

static void link_newest(struct cache *cache, struct cached *cached)
{
	cached->older = cache->newest;
	*(cache->newest ? &cache->newest->newer : &cache->oldest) = cached;
	cache->newest = cached;
}

static void link_oldest(struct cache *cache, struct cached *cached)
{
	cached->newer = cache->oldest;
	*(cache->oldest ? &cache->oldest->older : &cache->newest) = cached;
	cache->oldest = cached;
}

static void evict_one(struct cache *cache, struct cached *cached)
{
	cache->slots[cached->location].cached = NULL;
	cache->used -= cached->size;
	unlink_cached(cache, cached);
	if (cached->loaded.unpacked && cache->spares_count < SPARE_BUFFERS) {
		cache->spares[cache->spares_count++] = cached->loaded.bytes;
		cached->loaded.bytes = NULL;
	}
	cached_free(cached);
}

/* Frees the oldest records without users until the limit is kept, or none is left. */
static void evict(struct cache *cache)
{
	struct cached *cached = cache->oldest;

	while (cached && cache->used > cache->settings.limit) {
		struct cached *newer = cached->newer;

		if (!cached->users)
			evict_one(cache, cached);
		cached = newer;
	}
}

/* --- loading ----------------------------------------------------------------------- */

/* Unpacks a record, or leaves it packed if that is not possible. */
static void unpack(struct cache *cache, struct buffers *buffers, struct loaded *loaded)
{
	uint8_t *bytes;

	pthread_mutex_lock(&cache->lock);
	bytes = cache->spares_count ? cache->spares[--cache->spares_count] : NULL;
	pthread_mutex_unlock(&cache->lock);
	if (!bytes)
		bytes = malloc(cache->set->chunk_size);
	if (bytes && !loaded_unpack(loaded, buffers, bytes))
		free(bytes);
}

/* Loads a record that this thread has added.  Called without the lock. */
static void load(struct cache *cache, struct buffers *buffers, struct cached *cached,
		 enum cached_form form, struct error *e)
{
	double began = clock_seconds(), now;
	struct slot *slot = &cache->slots[cached->location];
	struct loaded *loaded = &cached->loaded;
	enum status status = loaded_load(loaded, cache->set, cached->location, buffers, e);

	if (!status && form == CACHED_UNPACKED)
		unpack(cache, buffers, loaded);
	if (status && status != STATUS_NO_MEMORY)
		cache_report(cache, cached->location, e);
	/* All its memory, with the overhead of the heap. */
	cached->size = sizeof(*cached) + malloc_usable_size(loaded->bytes) + HEAP_OVERHEAD;
	cached->status = status;
	now = clock_seconds();
	pthread_mutex_lock(&cache->lock);
	if (status) {
		if (loaded_may_recover(status))
			slot->retry = now + PAUSE * (now - began);
		else
			slot->lost |= status != STATUS_NO_MEMORY;
		slot->cached = NULL;
		cached->state = FAILED;
	} else {
		cached->state = READY;
		link_newest(cache, cached);
		cache->used += cached->size;
		evict(cache);
	}
	pthread_cond_broadcast(&cache->loaded);
	pthread_mutex_unlock(&cache->lock);
}

/* --- taking and releasing ----------------------------------------------------------- */

/* The result of a look-up in cache_take(). */
struct found {
	struct cached *cached;		/* NULL: none, because of the verdict or of short memory */
	bool to_load;			/* this thread must load it */
	enum status verdict;
};

/* Makes this thread a user of the record. */
static struct found find_or_add(struct cache *cache, size_t location)
{
	struct slot *slot = &cache->slots[location];
	struct cached *cached;
	struct found found;

	pthread_mutex_lock(&cache->lock);
	cached = slot->cached;
	found = (struct found){ .verdict = verdict_of(slot) };
	if (cached) {
		cached->users++;
		while (cached->state == LOADING)
			pthread_cond_wait(&cache->loaded, &cache->lock);
		if (cached->state == READY) {
			unlink_cached(cache, cached);
			link_newest(cache, cached);
		}
	} else if (!found.verdict && (cached = calloc(1, sizeof(*cached)))) {
		*cached = (struct cached){ .location = location, .state = LOADING, .users = 1 };
		slot->cached = cached;
		found.to_load = true;
	}
	found.cached = cached;
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
		return failure(cache, location, found.verdict ? found.verdict : STATUS_NO_MEMORY, e);
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
		failure(cache, location, status, e);
	cache_release(cache, found.cached, false);
	if (loaded_may_recover(status))
		return STATUS_SYSTEM;
	return status == STATUS_NO_MEMORY ? status : STATUS_DAMAGED;
}

void cache_release(struct cache *cache, struct cached *cached, bool finished)
{
	pthread_mutex_lock(&cache->lock);
	if (finished && cached->state == READY && cached->loaded.unpacked) {
		unlink_cached(cache, cached);
		link_oldest(cache, cached);
	}
	cached->users--;
	if (!cached->users && cached->state == READY)
		evict(cache);
	else if (!cached->users)
		cached_free(cached);
	pthread_mutex_unlock(&cache->lock);
}

bool cache_has(struct cache *cache, size_t location)
{
	const struct slot *slot = &cache->slots[location];
	bool has;

	pthread_mutex_lock(&cache->lock);
	has = slot->cached || verdict_of(slot);
	pthread_mutex_unlock(&cache->lock);
	return has;
}

uint64_t cache_used(struct cache *cache)
{
	uint64_t used;

	pthread_mutex_lock(&cache->lock);
	used = cache->used;
	pthread_mutex_unlock(&cache->lock);
	return used;
}

/* --- the threads ------------------------------------------------------------------ */

static void read_one(struct cache *cache, size_t location)
{
	struct buffers *buffers = cache_take_buffers(cache);
	struct cached *cached;
	struct error e;

	if (buffers && !cache_has(cache, location) &&
	    !cache_take(cache, buffers, location, CACHED_UNPACKED, &cached, &e))
		cache_release(cache, cached, false);
	if (buffers)
		cache_return_buffers(cache, buffers);
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
		read_one(r->cache, location);
		pthread_mutex_lock(&r->lock);
		r->busy--;
		pthread_cond_broadcast(&r->idle);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

enum status cache_read_ahead(struct cache *cache, unsigned threads, uint64_t distance, struct error *e)
{
	struct readahead *r = calloc(1, sizeof(*r));
	int failed;

	if (!r)
		return error_system(e, ENOMEM, "%u threads", threads);
	*r = (struct readahead){ .cache = cache, .distance = distance };
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->work, NULL);
	pthread_cond_init(&r->idle, NULL);
	r->threads = calloc(threads, sizeof(*r->threads));
	failed = r->threads ? 0 : ENOMEM;
	for (; r->count < threads && !failed; r->count += !failed)
		failed = thread_start(&r->threads[r->count], 0, thread_main, r);
	if (failed) {
		readahead_free(r);
		return error_system(e, failed, "%u threads", threads);
	}
	cache->readahead = r;
	return STATUS_OK;
}

void cache_settle(struct cache *cache)
{
	struct readahead *r = cache->readahead;

	pthread_mutex_lock(&r->lock);
	while (r->waiting || r->busy)
		pthread_cond_wait(&r->idle, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

/* --- requests; under the lock ----------------------------------------------------- */

/* False: the queue is full. */
static bool request(struct readahead *r, size_t location)
{
	if (r->waiting == QUEUE)
		return false;
	r->queue[(r->first + r->waiting++) % QUEUE] = location;
	pthread_cond_signal(&r->work);
	return true;
}

/* Requests the first record of every cell that begins or ends within the distance and was not requested yet. */
static void request_next(struct readahead *r, struct sequence *sequence)
{
	const struct set *set = r->cache->set;
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

/* The sequence that a read continues; else the one that was continued least recently begins anew. */
static struct sequence *find_sequence(struct readahead *r, uint64_t offset, uint64_t end)
{
	struct sequence *oldest = r->sequences;

	for (struct sequence *s = r->sequences; s < r->sequences + SEQUENCES; s++) {
		if (offset <= s->end + DISORDER && s->end <= end + DISORDER)
			return s;
		if (s->latest < oldest->latest)
			oldest = s;
	}
	*oldest = (struct sequence){ .end = offset };
	return oldest;
}

void cache_note_read(struct cache *cache, uint64_t offset, size_t len)
{
	struct readahead *r = cache->readahead;
	struct sequence *sequence;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	sequence = find_sequence(r, offset, offset + len);
	sequence->latest = ++r->reads;
	extend(sequence, offset + len, len);
	if (sequence->length >= SEQUENTIAL)
		request_next(r, sequence);
	pthread_mutex_unlock(&r->lock);
}
