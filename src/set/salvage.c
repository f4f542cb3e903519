// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdatomic.h>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "set/salvage.h"
#include "set/scan.h"

enum { SEARCHERS_MAX = 32, SEARCHER_STACK = 256 * 1024 };

struct salvage {
	struct salvage_job *jobs;
	unsigned count;
	const struct salvage_watch *watch;
	uint64_t all;			/* bytes to be searched */
	atomic_uint next;		/* index of the next job to be taken */
	atomic_ullong searched;		/* bytes */
};

static enum status add_records(struct scan *scan, struct error *e)
{
	struct record record;
	uint64_t offset;
	enum status status;

	while (!(status = scan_next(scan, &record, &offset, e))) {
		struct index_entry entry = index_entry_of(&record, offset);

		status = member_add_location(scan->member, &entry, e);
		if (status)
			return status;
	}
	/* The end of the member, in order or not, is the end of the search. */
	return status == STATUS_END || status == STATUS_CUT ? STATUS_OK : status;
}

static void do_job(struct salvage *s, struct salvage_job *job)
{
	struct piece_search search;
	struct scan scan;

	job->status = piece_search_init(&search, &job->error);
	if (job->status)
		return;
	scan_init(&scan, job->member, true);
	scan.search = &search;
	scan.searched = &s->searched;
	job->status = job->identify ? scan_identify(&scan, &job->first, &job->error)
				    : add_records(&scan, &job->error);
	atomic_fetch_add(&s->searched, job->member->size - min_u64(scan.counted, job->member->size));
	piece_search_free(&search);
}

static void work(void *arg, unsigned number)
{
	struct salvage *s = arg;
	unsigned i;

	(void)number;
	while ((i = atomic_fetch_add(&s->next, 1)) < s->count)
		do_job(s, &s->jobs[i]);
}

/* Fewer threads do the same jobs. */
static void fewer(void *arg, unsigned made, int errnum)
{
	(void)arg;
	(void)made;
	(void)errnum;
}

static void tick(void *arg)
{
	const struct salvage *s = arg;
	uint64_t searched = s->searched;	/* superblocks do not count, here and in all */

	if (s->watch->searching)
		s->watch->searching(s->watch->arg, min_u64(searched, s->all), s->all);
}

void salvage_run(struct salvage_job *jobs, unsigned count, const struct salvage_watch *watch)
{
	struct salvage s = { .jobs = jobs, .count = count, .watch = watch };
	struct thread_pool pool = {
		.count = (unsigned)min_u64(count, SEARCHERS_MAX),
		.stack = SEARCHER_STACK,
		.least = 1,
		.fewer = fewer,
		.work = work,
		.arg = &s,
	};
	const struct watch pool_watch = {
		.fd = -1,
		.interval = watch->searching ? watch->interval : 60,
		.tick = tick,
		.arg = &s,
	};
	struct error e;

	if (!count)
		return;
	for (unsigned i = 0; i < count; i++)
		s.all += jobs[i].member->size - min_u64(SUPERBLOCK_LENGTH, jobs[i].member->size);
	/* If no thread can be created, this one does all jobs. */
	if ((count == 1 && !watch->searching) || thread_pool_run(&pool, &pool_watch, &e))
		work(&s, 0);
	tick(&s);
}
