// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "cmd/common/message.h"
#include "cmd/common/page_policy.h"
#include "format/format.h"

/* --- the policy ------------------------------------------------------------- */

static void classify(void *arg, unsigned worker, uint64_t offset, uint32_t granules, struct runs *classes)
{
	const struct page_policy *p = arg;

	filter_classify(p->filter, worker, offset, granules, classes);
}

static void judge(void *arg, unsigned worker, unsigned after_all, struct class_table *classes,
		  char reason[REASON_TEXT_LENGTH + 1])
{
	const struct page_policy *p = arg;

	_Static_assert(FILTER_REASON_LENGTH <= REASON_TEXT_LENGTH + 1, "reasons fit the footer");
	filter_judge(p->filter, worker, after_all, classes, reason);
}

static void stop(void *arg)
{
	const struct page_policy *p = arg;

	filter_stop(p->filter);
}

static enum status start(void *arg, unsigned workers, uint32_t unit_size, struct error *e)
{
	const struct page_policy *p = arg;

	return filter_start(p->filter, workers, unit_size, true, e);
}

static size_t memory(void *arg, uint32_t unit_size)
{
	const struct page_policy *p = arg;

	return filter_memory(p->source, unit_size, true);
}

/* Of a struct page, before it is known; for the memory that is planned. */
enum { USUAL_MAP_ROW = 64 };

/* wishes: as for filter_plan() */
static void make_policy(struct page_policy *p, const struct filter_wishes *wishes)
{
	p->policy = (struct layer_policy){
		.classify = classify, .judge = judge, .start = start, .stop = stop,
		.arg = p,
	};
	p->policy.layers = filter_plan(p->source, wishes, &p->policy.plan);
	if (p->policy.layers == 1)
		return;
	p->policy.guarded = p->source->made_by_kernel;
	p->policy.memory = memory;
	p->policy.worker_memory = filter_thread_memory(p->source);
	p->policy.map_row = USUAL_MAP_ROW;
}

uint32_t page_policy_block_size(unsigned classes, const struct presets *presets, uint32_t block_size,
				uint32_t chunk_size)
{
	if (!classes || presets_single(presets) == &codec_raw)
		return block_size;
	while (block_size < PAGE_POLICY_BLOCK && chunk_size_valid(chunk_size, block_size * 2))
		block_size *= 2;
	return block_size;
}

/* --- opening --------------------------------------------------------------- */

const struct layer_policy *page_policy_expect(struct page_policy *p, struct source *source,
					      const struct filter_wishes *wishes)
{
	*p = (struct page_policy){ .wanted = true, .wishes = *wishes, .source = source };
	make_policy(p, wishes);
	return &p->policy;
}

const struct layer_policy *page_policy_try(struct page_policy *p, struct source *source,
					   const struct filter_wishes *wishes, struct error *e)
{
	const struct layer_policy *policy = page_policy_expect(p, source, wishes);
	enum status status = filter_open(&p->filter, source, policy->layers > 1 ? wishes : NULL, e);

	if (status)
		return NULL;
	p->policy.first.list = filter_first(p->filter, &p->policy.first.count, &p->policy.first.urgent);
	p->policy.second = filter_second_places(p->filter);
	p->policy.map_row = filter_map_row(p->filter);
	return policy;
}

/* What the kernel made has its image twice, whether the pages are understood or not.  Only that is looked for then. */
static const struct layer_policy *open_places(struct page_policy *p)
{
	struct error ignored;

	if (!p->source->made_by_kernel || filter_open(&p->filter, p->source, NULL, &ignored))
		return NULL;
	make_policy(p, NULL);
	p->policy.second = filter_second_places(p->filter);
	return &p->policy;
}

const struct layer_policy *page_policy_open(struct page_policy *p, struct source *source,
					    const struct filter_wishes *wishes)
{
	struct error why;
	const struct layer_policy *policy = page_policy_try(p, source, wishes, &why);

	if (policy)
		return policy;
	page_policy_give_up(p, why.text);
	return open_places(p);
}

void page_policy_give_up(struct page_policy *p, const char *why)
{
	page_policy_close(p);
	if (p->wishes.classes) {
		error_set(&p->why, STATUS_MISSING, "nothing is left out: %s", why);
		message("warning: %s", p->why.text);
	} else if (p->wishes.by_value) {
		message("warning: the most valuable pages are not captured first: %s", why);
	}
	if (p->source->made_by_kernel)
		message("warning: offline and poisoned pages, which may stop this machine, are read like all others%s%s",
			p->wishes.classes ? "" : ": ", p->wishes.classes ? "" : why);
}

void page_policy_close(struct page_policy *p)
{
	filter_close(p->filter);
	p->filter = NULL;
}
