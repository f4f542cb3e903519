// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/nsplit.h"
#include "core/kinds/page_class.h"
#include "core/memory.h"
#include "filter/filter_pages.h"

/* As for filters (filter/filter.c). */
static const struct core_limits limits = { .headers = 1 << 14, .notes = 8 << 20 };

/* --- the layout ------------------------------------------------------------ */

static void put_head(const void *arg, uint64_t from, size_t len, uint8_t *dst)
{
	const struct nsplit_dump *d = arg;
	size_t of_head = from < d->form.bitmap1 ? min_u64(len, d->form.bitmap1 - from) : 0;

	memcpy(dst, d->head + (of_head ? from : 0), of_head);
	if (of_head < len)
		kdump_put_bitmaps(&d->form, from + of_head - d->form.bitmap1, len - of_head, dst + of_head);
}

static void put_elf_head(const void *arg, uint64_t from, size_t len, uint8_t *dst)
{
	const struct nsplit_dump *d = arg;

	memcpy(dst, d->elf.head + from, len);
}

static uint64_t rank_of(const struct nsplit_dump *d, const struct page_range *run)
{
	return d->layout.elf ? elf_form_place(&d->elf, run->pfn) : run->rank;
}

/* Pages of a run are in a run of an ELF core, too: both end where a segment ends. */
static bool next_pages(const void *arg, uint64_t offset, uint64_t end, struct dump_pages *pages)
{
	const struct nsplit_dump *d = arg;
	struct page_range run;

	if (!pages_next_run_in_source(&d->pages, offset, end, &run))
		return false;
	*pages = (struct dump_pages){ .offset = run.offset, .rank = rank_of(d, &run), .count = run.count };
	return true;
}

/* One that cannot be read is left to be absent. */
static bool next_ragged(const void *arg, uint64_t *pfn, uint64_t *rank, uint8_t *page)
{
	const struct nsplit_dump *d = arg;
	const struct pages *p = &d->pages;
	struct page_range run;
	struct error ignored;

	for (size_t i = page_ranges_from(p->ranges, p->ranges_count, *pfn); i < p->ranges_count; i++) {
		*pfn = p->ranges[i].pfn;
		if (!p->ranges[i].ragged || !pages_next_run(p, *pfn, *pfn + 1, &run) ||
		    memory_read_page(&d->core, *pfn * p->page_size, p->page_size, page, &ignored))
			continue;
		*rank = rank_of(d, &run);
		return true;
	}
	return false;
}

/* The form has one codec: options.c refuses others. */
static uint32_t flag_of(const struct capture_settings *settings)
{
	return kdump_flag(settings->presets.list[0].codec->id);
}

static enum status make_elf_layout(struct nsplit_dump *d, struct error *e)
{
	enum status status = elf_form_init(&d->elf, &d->core, &d->pages, e);

	d->layout = (struct dump_layout){
		.elf = true,
		.page_size = d->pages.page_size,
		.head = d->elf.head_length,
		.pages = d->elf.places,
		.put_head = put_elf_head, .next_pages = next_pages, .next_ragged = next_ragged,
		.arg = d,
	};
	return status;
}

static enum status make_layout(struct nsplit_dump *d, const struct capture_settings *settings, unsigned left_out,
			       struct error *e)
{
	struct kdump_part whole = kdump_whole(&d->pages);

	kdump_init(&d->form, &d->core, &d->info, &d->pages);
	d->form.dump_level = dump_level_of_classes(left_out);
	d->head = malloc(d->form.bitmap1);
	if (!d->head)
		return error_system(e, ENOMEM, "headers of the dump");
	kdump_put_head(&d->form, &whole, flag_of(settings) | KDUMP_INCOMPLETE, d->head);
	d->layout = (struct dump_layout){
		.page_size = d->pages.page_size,
		.flag = flag_of(settings),
		.head = d->form.descriptors,
		.pages = d->pages.count,
		.put_head = put_head, .next_pages = next_pages, .next_ragged = next_ragged,
		.arg = d,
	};
	return STATUS_OK;
}

/* --- the policy ------------------------------------------------------------ */

/* A granule of a page of the dump, at the place from which it is taken. */
static uint8_t class_in_dump(const struct nsplit_dump *d, uint8_t class)
{
	return class_layer(&d->decided, class) ? class : CLASS_KERNEL;
}

/* Any other: left out, or stored elsewhere, as headers of the source are. */
static uint8_t class_beside_dump(const struct nsplit_dump *d, uint8_t class)
{
	return class_layer(&d->decided, class) ? CLASS_SECOND : class;
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
		bool any = next_pages(d, at, end, &pages);
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
	*classes = d->decided;
	memcpy(reason, d->reason, sizeof(d->reason));
}

/* Nothing here takes long any more. */
static void stop(void *arg)
{
	(void)arg;
}

/* The filter was started for the choice, with the same numbers or with more workers. */
static enum status start(void *arg, unsigned workers, uint32_t unit_size, struct error *e)
{
	(void)arg;
	(void)workers;
	(void)unit_size;
	(void)e;
	return STATUS_OK;
}

/* A bit for each page, and sums of them. */
static size_t memory(void *arg, uint32_t unit_size)
{
	struct nsplit_dump *d = arg;
	const struct layer_policy *filters = &d->layers->policy;

	return (filters->memory ? filters->memory(filters->arg, unit_size) : 0) +
	       d->source->size / d->pages.page_size / 8 * 9 / 8;
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

static unsigned layer_after_all(const struct nsplit_dump *d)
{
	return d->one_pass ? 1 : d->policy.layers;
}

static void make_policy(struct nsplit_dump *d, struct capture_settings *settings)
{
	if (!settings->policy)
		return;
	d->policy = *settings->policy;
	if (d->one_pass)
		join_layers(d);
	d->policy.second = NULL;
	d->policy.classify = classify;
	d->policy.judge = judge;
	d->policy.start = start;
	d->policy.stop = stop;
	d->policy.memory = memory;
	d->policy.arg = d;
	d->decided = d->policy.plan;
	settings->policy = &d->policy;
}

/* --- opening --------------------------------------------------------------- */

/* A page is a block, so each begins at a multiple of its size in the source. */
static enum status check_places(const struct nsplit_dump *d, struct error *e)
{
	const struct pages *p = &d->pages;

	for (size_t i = 0; i < p->by_offset_count; i++)
		if (p->by_offset[i]->offset % p->page_size)
			return error_set(e, STATUS_USAGE, "%s: pages do not begin at multiples of their size",
					 d->source->name);
	return STATUS_OK;
}

static enum status open_core(struct nsplit_dump *d, struct error *e)
{
	struct core_bytes bytes;
	uint32_t page_size;
	enum status status = source_bytes_open(&d->bytes, d->source, &bytes, e);

	if (!status)
		status = core_open_within(&d->core, &bytes, &limits, e);
	if (!status)
		status = vmcoreinfo_find(&d->core, &d->info, e);
	if (!status)
		status = vmcoreinfo_page_size(&d->info, &page_size, e);
	if (!status)
		status = pages_find(&d->pages, &d->core, page_size, NULL, 0, e);
	return status ? status : check_places(d, e);
}

enum status nsplit_refuse_stream(const struct nsplit_options *o, const struct source *source, struct error *e)
{
	if (o->left_out.given)
		return nsplit_layers_refuse_stream(source, e);
	if (o->format == NSPLIT_MEMBERS)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: --format=%s needs a source that can be read more than once, "
			 "and this is a stream; omit it, or capture to a file first", source->name,
			 o->format == NSPLIT_ELF ? "elf" : "kdump");
}

void nsplit_dump_open(struct nsplit *nsplit)
{
	struct capture_settings *settings = &nsplit->options.capture;
	struct nsplit_dump *d = &nsplit->dump;
	struct error e;

	*d = (struct nsplit_dump){ .source = nsplit->source, .layers = &nsplit->layers };
	for (unsigned i = 0; i < nsplit->count; i++)
		d->one_pass |= !sink_writes_anywhere(&nsplit->sinks[i]);
	if (open_core(d, &e)) {
		message("%s; a member is written instead of a dump in the %s form; njoin reads it", e.text,
			nsplit->options.format == NSPLIT_ELF ? "ELF" : "kdump-compressed");
		nsplit_dump_close(d);
		return;
	}
	settings->block_size = d->pages.page_size;
	settings->chunk_size = (uint32_t)round_up(settings->chunk_size, d->pages.page_size);
	settings->dump = &d->layout;
	d->layout.elf = nsplit->options.format == NSPLIT_ELF;
	make_policy(d, settings);
}

/* The classes of dump levels of which something is left out. */
static unsigned classes_left_out(const struct nsplit_dump *d)
{
	unsigned classes = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(&d->decided, i) == CLASS_LEFT_OUT && !page_captured_is_never_read(i))
			classes |= page_class_of_captured(i);
	return classes;
}

static enum status choose(struct nsplit_dump *d, const struct capture_settings *settings, struct error *e)
{
	struct filter *f = d->layers->filter;
	enum status status = filter_start(f, capture_workers(settings), settings->chunk_size, e);

	if (status || !d->layers->classes)
		return status;
	status = filter_choose_pages(f, &d->pages, layer_after_all(d), &d->decided, d->reason, e);
	/* So even the first pass knows what is saved after all. */
	d->policy.plan = d->decided;
	return status;
}

enum status nsplit_dump_choose(struct nsplit *nsplit, struct error *e)
{
	const struct capture_settings *settings = &nsplit->options.capture;
	struct nsplit_dump *d = &nsplit->dump;
	enum status status = STATUS_OK;

	if (!settings->dump)
		return STATUS_OK;
	if (settings->policy)
		status = choose(d, settings, e);
	if (status)
		return status;
	return d->layout.elf ? make_elf_layout(d, e) : make_layout(d, settings, classes_left_out(d), e);
}

void nsplit_dump_close(struct nsplit_dump *d)
{
	pages_free(&d->pages);
	core_close(&d->core);
	source_bytes_close(&d->bytes);
	free(d->head);
	elf_form_free(&d->elf);
	*d = (struct nsplit_dump){ 0 };
}
