// SPDX-License-Identifier: GPL-2.0-or-later
/* The layer policy of a dump, for dump.c: that of the filter, but the pages are those that were chosen before. */
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "cmd/nsplit/dump.h"

/* A granule of a page of the dump, at the place from which it is taken. */
static uint8_t class_in_dump(const struct nsplit_dump *d, uint8_t class)
{
	return class_layer(&d->choice.table, class) ? class : CLASS_KERNEL;
}

/* Any other: left out, or stored elsewhere, as headers of the source are. */
static uint8_t class_beside_dump(const struct nsplit_dump *d, uint8_t class)
{
	return class_layer(&d->choice.table, class) ? CLASS_SECOND : class;
}

/* What is in the dump was decided before, so a page whose use has changed since stays in it, or out of it. */
static void classify(void *arg, unsigned worker, uint64_t offset, uint32_t granules, uint8_t *classes)
{
	const struct nsplit_dump *d = arg;
	uint64_t end = offset + (uint64_t)granules * GRANULE, at = offset;
	uint32_t of_page = d->layout.page_size / GRANULE;
	struct dump_pages pages;

	filter_classify(d->layers->filter, worker, offset, granules, classes);
	while (at < end) {
		bool any = d->layout.next_pages(d, at, end, &pages);
		uint64_t before = any ? pages.offset : end, i = (at - offset) / GRANULE;

		for (; i < (before - offset) / GRANULE; i++)
			classes[i] = class_beside_dump(d, classes[i]);
		for (; any && i < (before - offset) / GRANULE + pages.count * of_page && i < granules; i++)
			classes[i] = class_in_dump(d, classes[i]);
		at = any ? pages.offset + pages.count * d->layout.page_size : end;
	}
}

static void judge(void *arg, unsigned worker, unsigned after_all, struct class_table *classes,
		  char reason[REASON_TEXT_LENGTH + 1])
{
	const struct nsplit_dump *d = arg;

	(void)worker;
	(void)after_all;
	*classes = d->choice.table;
	_Static_assert(FILTER_REASON_LENGTH <= REASON_TEXT_LENGTH + 1, "reasons fit the footer");
	memcpy(reason, d->choice.reason, sizeof(d->choice.reason));
}

/* Nothing here takes long any more. */
static void stop(void *arg)
{
	(void)arg;
}

/* The filter was started for the choice, with as many workers or more, and for units of this size or twice as large. */
static enum status start(void *arg, unsigned workers, uint32_t unit_size, struct error *e)
{
	(void)arg;
	(void)workers;
	(void)unit_size;
	(void)e;
	return STATUS_OK;
}

/* Of a thread that makes parts, besides what the filter takes: what it touches of its stack, and what the kernel takes. */
enum { MAKER_MEMORY = 64 * 1024 };

/* For the filter and the choice of pages. */
static size_t memory(void *arg, uint32_t unit_size)
{
	const struct nsplit_dump *d = arg;
	size_t filter = filter_memory(d->source, unit_size, !d->makers);
	uint64_t pages = d->pages.in_core;

	if (!d->layers->classes)
		return 0;
	if (!d->makers)
		return filter + page_choice_memory(pages);
	return filter + page_parts_memory(pages) + d->makers * (filter_thread_memory(d->source) + MAKER_MEMORY);
}

/*
 * The order of layers has no use in a pipe, and would make many small pieces of its descriptors.  So all classes are
 * saved in the first one.
 */
static void join_layers(struct nsplit_dump *d)
{
	struct class_table *table = &d->policy.plan;

	for (unsigned i = 0; i < CLASSES; i++)
		if (class_layer(table, i))
			table->of[i] = class_entry(class_state(table, i), 1);
	d->policy.layers = (unsigned)min_u64(d->policy.layers, 2);
}

void nsplit_dump_make_policy(struct nsplit_dump *d, struct capture_settings *settings)
{
	if (!settings->policy)
		return;
	d->policy = *settings->policy;
	if (d->one_pass)
		join_layers(d);
	d->policy.second = NULL;
	/* Other programs know no columns. */
	d->policy.map_row = 0;
	d->policy.classify = classify;
	d->policy.judge = judge;
	d->policy.start = start;
	d->policy.stop = stop;
	d->policy.memory = memory;
	d->policy.arg = d;
	d->choice.table = d->policy.plan;
	settings->policy = &d->policy;
}
