// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "cmd/common/message.h"
#include "cmd/nsplit/layers.h"
#include "core/kinds/page_class.h"

/* --- the policy ------------------------------------------------------------- */

static void classify(void *arg, unsigned worker, uint64_t offset, uint32_t granules, uint8_t *classes)
{
	const struct nsplit_layers *l = arg;

	filter_classify(l->filter, worker, offset, granules, classes);
}

static void judge(void *arg, unsigned worker, unsigned after_all, struct class_table *classes,
		  char reason[REASON_TEXT_LENGTH + 1])
{
	const struct nsplit_layers *l = arg;

	_Static_assert(FILTER_REASON_LENGTH <= REASON_TEXT_LENGTH + 1, "reasons fit the footer");
	filter_judge(l->filter, worker, after_all, classes, reason);
}

static void stop(void *arg)
{
	const struct nsplit_layers *l = arg;

	filter_stop(l->filter);
}

static enum status start(void *arg, unsigned workers, uint32_t unit_size, struct error *e)
{
	const struct nsplit_layers *l = arg;

	return filter_start(l->filter, workers, unit_size, true, e);
}

static size_t memory(void *arg, uint32_t unit_size)
{
	const struct nsplit_layers *l = arg;

	return filter_memory(l->source, unit_size, true);
}

/* Of a struct page, before it is known; for the memory that is planned. */
enum { USUAL_MAP_ROW = 64 };

static void make_policy(struct nsplit_layers *l)
{
	l->policy = (struct layer_policy){
		.classify = classify, .judge = judge, .start = start, .stop = stop,
		.arg = l,
	};
	if (l->classes) {
		l->policy.memory = memory;
		l->policy.worker_memory = filter_thread_memory(l->source);
		l->policy.map_row = USUAL_MAP_ROW;
	}
	l->policy.layers = filter_plan(dump_level_of_classes(l->classes), &l->policy.plan);
}

/* --- opening --------------------------------------------------------------- */

enum status nsplit_layers_refuse_stream(const struct source *source, struct error *e)
{
	return error_set(e, STATUS_USAGE, "%s: --dump-level and --exclude need a source that can be read "
			 "more than once, and this is a stream; omit them, or capture to a file first",
			 source->name);
}

const struct layer_policy *nsplit_layers_expect(struct nsplit_layers *l, struct source *source,
					 unsigned classes)
{
	*l = (struct nsplit_layers){ .wanted = true, .classes = classes, .source = source };
	make_policy(l);
	return &l->policy;
}

const struct layer_policy *nsplit_layers_open(struct nsplit_layers *l, struct source *source, unsigned classes)
{
	const struct layer_policy *policy = nsplit_layers_expect(l, source, classes);
	struct error why;
	enum status status = classes ? filter_open(&l->filter, source, &why) :
				       filter_open_places(&l->filter, source, &why);

	if (!status) {
		l->policy.second = filter_second_places(l->filter);
		l->policy.map_row = filter_map_row(l->filter);
		return policy;
	}
	nsplit_layers_give_up(l, why.text);
	return NULL;
}

void nsplit_layers_give_up(struct nsplit_layers *l, const char *why)
{
	nsplit_layers_close(l);
	if (!l->classes)
		return;
	error_set(&l->why, STATUS_MISSING, "nothing is left out: %s", why);
	message("%s", l->why.text);
}

void nsplit_layers_close(struct nsplit_layers *l)
{
	filter_close(l->filter);
	l->filter = NULL;
}
