// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "mount/readahead.h"

enum {
	QUEUE = 64,			/* records; what does not fit is forgotten */
	RUN_LEAST = 256 << 10,		/* bytes in a row that make a sequential reader */
	/* The kernel reads ahead itself, in several requests whose order is not certain. */
	DISORDER = 1 << 20,
	/* More is not counted, so that who stops reading on is noticed soon. */
	RUN_MOST = 4 * RUN_LEAST,
};

struct ahead {
	const struct set *set;		/* these three borrowed */
	struct cache *cache;
	struct buffer_pool *pool;
	uint64_t distance;
	pthread_t *threads;		/* owned */
	unsigned count;			/* of those that were made */
	pthread_mutex_t lock;
	pthread_cond_t work, idle;
	/* Under the lock: */
	size_t queue[QUEUE];		/* places; a ring */
	unsigned first, waiting, busy;
	bool stopping;
};

void stream_init(struct stream *stream)
{
	*stream = (struct stream){ 0 };
	pthread_mutex_init(&stream->lock, NULL);
}

void stream_done(struct stream *stream)
{
	pthread_mutex_destroy(&stream->lock);
}

/* --- the crew -------------------------------------------------------------------- */

static void read_one(struct ahead *a, size_t location)
{
	struct buffers *buffers = buffer_pool_take(a->pool);
	struct kept *kept;
	struct error e;

	if (buffers && !cache_has(a->cache, location) &&
	    !cache_take(a->cache, buffers, location, KEPT_PLAIN, &kept, &e))
		cache_give_back(a->cache, kept, false);
	if (buffers)
		buffer_pool_return(a->pool, buffers);
}

static void *work(void *arg)
{
	struct ahead *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->stopping) {
		size_t location;

		if (!a->waiting) {
			pthread_cond_wait(&a->work, &a->lock);
			continue;
		}
		location = a->queue[a->first];
		a->first = (a->first + 1) % QUEUE;
		a->waiting--;
		a->busy++;
		pthread_mutex_unlock(&a->lock);
		read_one(a, location);
		pthread_mutex_lock(&a->lock);
		a->busy--;
		pthread_cond_broadcast(&a->idle);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* Signals are for the thread that watches over the mount. */
static int start(struct ahead *a, unsigned threads)
{
	sigset_t all, before;
	int errnum = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; a->count < threads && !errnum; a->count += !errnum)
		errnum = pthread_create(&a->threads[a->count], NULL, work, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return errnum;
}

enum status ahead_new(struct ahead **ahead, const struct set *set, struct cache *cache,
		      struct buffer_pool *pool, unsigned threads, uint64_t distance, struct error *e)
{
	struct ahead *a = calloc(1, sizeof(*a));
	int errnum;

	*ahead = a;
	if (!a)
		return error_system(e, ENOMEM, "%u threads", threads);
	*a = (struct ahead){ .set = set, .cache = cache, .pool = pool, .distance = distance };
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->work, NULL);
	pthread_cond_init(&a->idle, NULL);
	a->threads = calloc(threads, sizeof(*a->threads));
	errnum = a->threads ? start(a, threads) : ENOMEM;
	if (!errnum)
		return STATUS_OK;
	ahead_free(a);
	*ahead = NULL;
	return error_system(e, errnum, "%u threads", threads);
}

void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stopping = true;
	pthread_cond_broadcast(&a->work);
	pthread_mutex_unlock(&a->lock);
	while (a->count)
		pthread_join(a->threads[--a->count], NULL);
	pthread_cond_destroy(&a->idle);
	pthread_cond_destroy(&a->work);
	pthread_mutex_destroy(&a->lock);
	free(a->threads);
	free(a);
}

void ahead_settle(struct ahead *a)
{
	pthread_mutex_lock(&a->lock);
	while (a->waiting || a->busy)
		pthread_cond_wait(&a->idle, &a->lock);
	pthread_mutex_unlock(&a->lock);
}

/* --- what it is asked for -------------------------------------------------------- */

static bool ask(struct ahead *a, size_t location)
{
	bool taken;

	pthread_mutex_lock(&a->lock);
	taken = a->waiting < QUEUE;
	if (taken) {
		a->queue[(a->first + a->waiting++) % QUEUE] = location;
		pthread_cond_signal(&a->work);
	}
	pthread_mutex_unlock(&a->lock);
	return taken;
}

/* Every record that begins or ends within the distance, and was not asked for before. */
static void ask_on(struct ahead *a, struct stream *stream)
{
	const struct set *set = a->set;
	uint64_t to = stream->end + min_u64(a->distance, UINT64_MAX - stream->end);

	stream->asked = max_u64(stream->asked, stream->end);
	while (stream->asked < to) {
		size_t location = set_find(set, stream->asked);
		const struct index_entry *entry;

		if (location == set->locations)
			break;
		entry = &set->map[location]->entry;
		if (entry->source_offset >= to || !ask(a, location))
			break;
		stream->asked = entry->source_offset + entry->source_length;
	}
}

/*
 * Only who gets further reads on: the pages of a structure, to and fro, are near each other as
 * well.  Of two requests that come in the wrong order the first gets on twice as far, and the
 * second does not; a leap by more is none in a row.
 */
static void count_on(struct stream *stream, uint64_t end, size_t len)
{
	if (end > stream->end) {
		stream->run += min_u64(end - stream->end, 2 * (uint64_t)len);
		stream->end = end;
	} else {
		stream->run -= min_u64(stream->run, len);
	}
	stream->run = min_u64(stream->run, RUN_MOST);
}

void ahead_follow(struct ahead *a, struct stream *stream, uint64_t offset, size_t len)
{
	uint64_t end = offset + len;

	pthread_mutex_lock(&stream->lock);
	if (offset <= stream->end + DISORDER && stream->end <= end + DISORDER) {
		count_on(stream, end, len);
	} else {
		stream->run = len;
		stream->end = end;
		stream->asked = 0;
	}
	if (stream->run >= RUN_LEAST)
		ask_on(a, stream);
	pthread_mutex_unlock(&stream->lock);
}
