// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the contents of a set, on several threads.
 *
 * Threads take batches of cells in the order of the source, and add what they have found in the same
 * order: the thread with the first batch that was not added yet has its *turn*.  A thread that has found
 * damage waits for its turn before it reports it, so that the order of messages does not depend on
 * threads.  The batches before it never wait for it, so the wait ends.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "set/read/contents_search.h"

enum {
	BATCH = 64,			/* records, or a few more: cells are not divided */
	/* Each takes memory for two cells and their heads. */
	THREADS_MAX = 8,
	STACK = 256 * 1024,
};

struct find;

struct finder {
	struct contents_search search;
	struct find *find;
	size_t from, end;		/* the records of its batch */
};

struct find {
	struct contents *c;		/* changed by the thread that has its turn */
	const struct set *set;
	const struct contents_watch *watch;
	struct finder finders[THREADS_MAX];
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* added or status */
	/* Under the lock: */
	size_t next;			/* the first record of the next batch */
	size_t added;			/* the first record of which nothing was added to c */
	enum status status;		/* of the first failure; then all threads end */
	struct error error;
};

/* --- turns ------------------------------------------------------------------------- */

/* False: nothing is left, or there was a failure. */
static bool take_batch(struct find *f, struct finder *finder)
{
	const struct set *set = f->set;
	bool taken;

	pthread_mutex_lock(&f->lock);
	taken = !f->status && f->next < set->locations;
	if (taken) {
		size_t last = min_u64(f->next + BATCH, set->locations) - 1;
		uint64_t cell = set->map[last]->entry.source_offset / set->cell_size;

		finder->from = f->next;
		finder->end = f->next = set_find_cell(set, cell + 1);
	}
	pthread_mutex_unlock(&f->lock);
	return taken;
}

/* False: there was a failure. */
static bool wait_for_turn(struct find *f, const struct finder *finder)
{
	bool good;

	pthread_mutex_lock(&f->lock);
	while (!f->status && f->added != finder->from)
		pthread_cond_wait(&f->changed, &f->lock);
	good = !f->status;
	pthread_mutex_unlock(&f->lock);
	return good;
}

static void end_turn(struct find *f, const struct finder *finder)
{
	pthread_mutex_lock(&f->lock);
	f->added = finder->end;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static void fail(struct find *f, const struct error *e)
{
	pthread_mutex_lock(&f->lock);
	if (!f->status) {
		f->status = e->status;
		f->error = *e;
	}
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static void report(struct contents_search *s, size_t location, const struct error *e)
{
	struct finder *finder = (struct finder *)s;
	struct find *f = finder->find;

	if (wait_for_turn(f, finder))
		f->watch->damaged(f->watch->arg, location, e);
}

/* --- threads ----------------------------------------------------------------------- */

static enum status search_batch(struct find *f, struct finder *finder, struct error *e)
{
	enum status status = contents_search_records(&finder->search, finder->from, finder->end, e);

	if (status || !wait_for_turn(f, finder))
		return status;
	if (!contents_append(f->c, &finder->search.found))
		return error_system(e, ENOMEM, "list of missing ranges");
	contents_clear(&finder->search.found);
	end_turn(f, finder);
	return STATUS_OK;
}

static void work(void *arg, unsigned number)
{
	struct find *f = arg;
	struct finder *finder = &f->finders[number];
	struct error e;
	enum status status = STATUS_OK;

	while (!status && take_batch(f, finder))
		status = search_batch(f, finder, &e);
	if (status)
		fail(f, &e);
}

/* Fewer threads do the same. */
static void fewer(void *arg, unsigned made, int errnum)
{
	(void)arg;
	(void)made;
	(void)errnum;
}

static void tick(void *arg)
{
	struct find *f = arg;
	size_t added;

	pthread_mutex_lock(&f->lock);
	added = f->added;
	pthread_mutex_unlock(&f->lock);
	if (f->watch->searching)
		f->watch->searching(f->watch->arg, added, f->set->locations);
}

static unsigned count_threads(const struct find *f)
{
	uint64_t most = min_u64(THREADS_MAX, divide_up(f->set->locations, BATCH));

	return (unsigned)max_u64(1, min_u64(f->watch->threads, most));
}

/* If no thread can be created, this one does everything. */
static void run_threads(struct find *f, unsigned threads)
{
	struct thread_pool pool = { .count = threads, .stack = STACK, .least = 1, .fewer = fewer,
				    .work = work, .arg = f };
	const struct watch watch = {
		.fd = -1,
		.interval = f->watch->searching ? f->watch->interval : 60,
		.tick = tick,
		.arg = f,
	};
	struct error ignored;

	if ((threads == 1 && !f->watch->searching) || thread_pool_run(&pool, &watch, &ignored))
		work(f, 0);
}

static enum status find(struct find *f, struct error *e)
{
	unsigned threads = count_threads(f);
	struct contents_search *search = &f->finders[0].search;
	enum status status = STATUS_OK;

	for (unsigned i = 0; i < threads && !status; i++) {
		f->finders[i].find = f;
		f->finders[i].search.damaged = report;
		status = contents_search_init(&f->finders[i].search, f->set, e);
	}
	if (!status) {
		run_threads(f, threads);
		status = f->status;
		*e = f->error;
	}
	/* What is found behind the last record has its turn. */
	f->finders[0].from = f->added;
	if (!status)
		status = contents_search_rest(search, e);
	if (!status && !contents_append(f->c, &search->found))
		status = error_system(e, ENOMEM, "list of missing ranges");
	for (unsigned i = 0; i < threads; i++)
		contents_search_free(&f->finders[i].search);
	return status;
}

enum status contents_find(struct contents *c, const struct set *set,
			  const struct contents_watch *watch, struct error *e)
{
	struct find *f = calloc(1, sizeof(*f));
	enum status status;

	contents_init(c, set);
	if (!f)
		return error_system(e, ENOMEM, "list of missing ranges");
	f->c = c;
	f->set = set;
	f->watch = watch;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->changed, NULL);
	status = find(f, e);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	free(f);
	return status;
}
