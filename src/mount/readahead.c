// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "mount/readahead.h"

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
