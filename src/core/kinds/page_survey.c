// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <pthread.h>
#include <string.h>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "core/kinds/page_survey.h"

enum {
	STACK = 256 * 1024,
	/* Looking at a mapping takes several reads at random, so this bounds them. */
	SAMPLES = 1024,
};

struct survey {
	const struct page_survey_settings *settings;
	uint64_t every;			/* one of so many parts has samples */
	pthread_mutex_t lock;		/* covers everything below */
	size_t range;			/* of map->present */
	uint64_t at;			/* frames of it that were taken */
	uint64_t parts;			/* that were taken */
	struct page_evidence *evidence;
	enum status status;
	struct error error;
};

/*
 * Takes the next part, and says whether it has samples.  Sections, and so the ranges, are many times as
 * large as a part.
 */
static size_t take(struct survey *s, uint64_t *pfn, bool *sampled)
{
	const struct range_list *present = &s->settings->map->present;
	size_t count = 0;

	pthread_mutex_lock(&s->lock);
	while (s->range < present->count && !s->status && !count) {
		const struct range *r = &present->ranges[s->range];

		*pfn = r->offset + s->at;
		count = min_u64(r->length - s->at, PAGE_SURVEY_FRAMES - *pfn % PAGE_SURVEY_FRAMES);
		s->at += count;
		if (!count) {
			s->range++;
			s->at = 0;
		}
	}
	*sampled = s->parts % s->every == 0;
	s->parts += count != 0;
	pthread_mutex_unlock(&s->lock);
	return count;
}

static void finish(struct survey *s, struct page_evidence *evidence, enum status status,
		   const struct error *e)
{
	pthread_mutex_lock(&s->lock);
	page_evidence_merge(s->evidence, evidence);
	if (status && !s->status) {
		s->status = status;
		s->error = *e;
	}
	pthread_mutex_unlock(&s->lock);
	page_evidence_free(evidence);
}

enum status page_survey_part(struct page_cursor *c, uint64_t pfn, size_t count, bool sampled,
			     uint8_t *kinds, struct page_evidence *evidence, struct error *e)
{
	enum status status = page_range_survey(c, pfn, count, kinds, evidence, e);

	if (!status && evidence && sampled)
		status = page_evidence_sample(evidence, c, pfn, count, kinds, e);
	if (!status && evidence)
		evidence->parts_with_slabs += memchr(kinds, PAGE_SLAB, count) != NULL;
	return status;
}

static void work(void *arg, unsigned number)
{
	struct survey *s = arg;
	const struct page_survey_settings *set = s->settings;
	struct page_evidence evidence = { 0 };
	struct page_cursor cursor;
	uint8_t kinds[PAGE_SURVEY_FRAMES];
	enum status status = STATUS_OK;
	uint64_t pfn;
	size_t count;
	bool sampled;
	struct error e;

	page_cursor_init(&cursor, set->map, set->virts[number]);
	while (!status && (count = take(s, &pfn, &sampled))) {
		status = page_survey_part(&cursor, pfn, count, sampled, kinds, &evidence, &e);
		if (!status)
			set->deliver(set->arg, pfn, count, kinds);
	}
	finish(s, &evidence, status, &e);
}

static void wait_on(void *arg)
{
	(void)arg;
}

static uint64_t count_parts(const struct page_map *map)
{
	uint64_t frames = 0;

	for (size_t i = 0; i < map->present.count; i++)
		frames += map->present.ranges[i].length;
	return divide_up(frames, PAGE_SURVEY_FRAMES);
}

enum status page_survey_run(const struct page_survey_settings *settings,
			    struct page_evidence *evidence, struct error *e)
{
	struct survey s = {
		.settings = settings,
		.every = max_u64(divide_up(count_parts(settings->map), SAMPLES), 1),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.evidence = evidence,
	};
	struct thread_pool pool = { .count = settings->threads, .stack = STACK, .work = work,
				    .arg = &s };
	const struct watch watch = { .fd = -1, .interval = 60, .tick = wait_on };
	enum status status = thread_pool_run(&pool, &watch, e);

	if (!status && s.status)
		*e = s.error;
	return status ? status : s.status;
}
