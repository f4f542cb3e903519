// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "core/kinds/page_filter.h"

/* --- a pass over the whole memory map, on several threads ------------------------------ */

enum {
	STACK = 256 * 1024,
	/* Looking at a mapping takes several reads at random, so this bounds them. */
	SAMPLES = 1024,
};

struct survey {
	const struct page_survey_settings *settings;
	uint64_t every;			/* a part has samples if its number is a multiple of this */
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

enum status page_survey_run(const struct page_survey_settings *settings,
			    struct page_evidence *evidence, struct error *e)
{
	uint64_t parts = divide_up(range_list_length(&settings->map->present), PAGE_SURVEY_FRAMES);
	struct survey s = {
		.settings = settings,
		.every = max_u64(divide_up(parts, SAMPLES), 1),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.evidence = evidence,
	};
	struct thread_pool pool = { .count = settings->threads, .stack = STACK, .work = work,
				    .arg = &s };
	enum status status = thread_pool_run(&pool, NULL, e);

	if (!status && s.status)
		*e = s.error;
	return status ? status : s.status;
}

/* --- which pages are kept ------------------------------------------------------------- */

/* The shared state of the threads of a survey. */
struct survey_state {
	struct pages *pages;
	unsigned kinds;			/* to leave out: 1U << kind */
	atomic_ullong of_kind[PAGE_KINDS];
};

/* The class by which a page is left out; PAGE_CLASSES: it is not, or by its mark alone. */
static enum page_class class_of(const struct page_filter *f, enum page_kind kind)
{
	bool doubted = kind == PAGE_OFFLINE && f->trust.why[JUDGED_OFFLINE][0];

	if (doubted || (f->asked & ASK_MARKED && class_is_marked(page_captured_as(kind))))
		return PAGE_CLASSES;
	return page_class_of(kind);
}

static unsigned kinds_left_out(const struct page_filter *f)
{
	unsigned kinds = f->marked;

	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
		if (f->classes & PAGE_CLASS_BIT(class_of(f, kind)))
			kinds |= 1U << kind;
	return kinds;
}

/* Counts the pages that are memory of the core's segments; the map covers gaps between them, too. */
static void deliver(void *arg, uint64_t pfn, size_t count, const uint8_t *kinds)
{
	struct survey_state *filter = arg;
	const struct range_list *ram = &filter->pages->ram;
	uint64_t here[PAGE_KINDS] = { 0 };
	size_t i = ranges_find(ram->ranges, ram->count, pfn);

	for (size_t alike; count; pfn += alike, kinds += alike, count -= alike) {
		alike = bytes_repeated(kinds, count);
		if (filter->kinds >> *kinds & 1)
			pages_leave_out(filter->pages, pfn, alike);
		for (; i < ram->count && ram->ranges[i].offset < pfn + alike; i++) {
			uint64_t begin = ram->ranges[i].offset, end = begin + ram->ranges[i].length;

			here[*kinds] += min_u64(end, pfn + alike) - max_u64(begin, pfn);
			if (end > pfn + alike)
				break;
		}
	}
	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
		if (here[kind])
			atomic_fetch_add_explicit(&filter->of_kind[kind], here[kind], memory_order_relaxed);
}

/* Pages of the core for which there is no struct page are of an unknown kind. */
static void sum_up(struct page_filter *f, const struct survey_state *filter)
{
	uint64_t known = 0;

	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++) {
		f->of_kind[kind] = filter->of_kind[kind];
		known += f->of_kind[kind];
	}
	f->of_kind[PAGE_UNKNOWN] += range_list_length(&filter->pages->ram) - known;
}

/* One pass over the map, which leaves out what f says. */
static enum status pass(struct page_filter *f, struct pages *pages,
			const struct page_survey_settings *common, struct page_evidence *evidence,
			struct error *e)
{
	struct survey_state filter = { .pages = pages, .kinds = kinds_left_out(f) };
	struct page_survey_settings settings = *common;
	enum status status = STATUS_OK;

	settings.deliver = deliver;
	settings.arg = &filter;
	if (filter.kinds)
		status = pages_leave_out_begin(pages, e);
	if (!status)
		status = page_survey_run(&settings, evidence, e);
	if (!status && filter.kinds)
		pages_leave_out_end(pages);
	if (!status)
		sum_up(f, &filter);
	return status;
}

/* Takes back what cannot be believed. */
static void doubt(struct page_filter *f)
{
	f->classes &= page_trust_classes(&f->trust);
	for (unsigned i = 0; i < 2; i++)
		if (f->marked >> (PAGE_OFFLINE + i) & 1 && f->of_kind[PAGE_OFFLINE + i] && f->trust.why[JUDGED_OFFLINE + i][0])
			f->doubted |= 1U << (PAGE_OFFLINE + i);
	f->marked &= ~f->doubted;
}

/*
 * Whether the kinds can be believed is known after they were found.  They mostly can, so the first
 * pass already leaves out what is asked for; otherwise there is a second one.
 */
static enum status survey(struct page_filter *f, struct pages *pages,
			  const struct page_survey_settings *settings, struct error *e)
{
	struct page_evidence evidence = { 0 }, ignored = { 0 };
	unsigned before = kinds_left_out(f);
	struct page_facts facts;
	enum status status = pass(f, pages, settings, &evidence, e);

	if (!status && !(f->asked & ASK_DOUBTED))
		status = page_facts_collect(&facts, settings->map, settings->virts[0], &evidence, NULL, e);
	if (!status && !(f->asked & ASK_DOUBTED))
		page_trust_judge(&f->trust, &facts);
	page_evidence_free(&evidence);
	if (status || f->asked & ASK_DOUBTED)
		return status;
	doubt(f);
	if (kinds_left_out(f) == before)
		return STATUS_OK;
	if (!kinds_left_out(f))
		return pages_keep_all(pages, e);
	status = pass(f, pages, settings, &ignored, e);
	page_evidence_free(&ignored);
	return status;
}

enum status page_filter_apply(struct page_filter *f, struct pages *pages,
			      const struct virt *const *virts, unsigned threads, unsigned asked,
			      struct error *e)
{
	struct page_keys keys;
	struct page_map map = { 0 };
	const struct page_survey_settings settings = { .map = &map, .virts = virts, .threads = threads };
	enum status status = STATUS_OK;

	*f = (struct page_filter){ .asked = asked, .classes = asked & (PAGE_CLASS_BIT(PAGE_CLASSES) - 1) };
	for (enum page_kind kind = 0; kind < PAGE_KINDS && asked & (ASK_MARKED | ASK_DOUBTED); kind++)
		f->marked |= class_is_marked(page_captured_as(kind)) ? 1U << kind : 0;
	if (!virts[0]->info->size)
		status = error_set(e, STATUS_DAMAGED, "the core has no VMCOREINFO");
	else
		status = page_keys_find(&keys, virts[0]->info, e);
	if (!status) {
		memcpy(f->off, keys.off, sizeof(f->off));
		status = page_map_open(&map, virts[0], &keys, e);
	}
	if (!status) {
		status = survey(f, pages, &settings, e);
	} else if (!core_bytes_end(status)) {
		snprintf(f->no_kinds, sizeof(f->no_kinds), "%s", e->text);
		page_trust_refuse_all(&f->trust, e->text);
		f->classes = f->marked = 0;
		status = STATUS_OK;
	}
	page_map_close(&map);
	return status;
}

uint64_t page_filter_count(const struct page_filter *f, enum page_class c)
{
	uint64_t count = 0;

	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
		if (class_of(f, kind) == c)
			count += f->of_kind[kind];
	return count;
}
