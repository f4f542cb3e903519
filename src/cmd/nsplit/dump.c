// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "capture/fill/pack.h"
#include "capture/memory/memory_limits.h"
#include "capture/memory/memory_plan.h"
#include "cmd/nsplit/dump.h"
#include "cmd/nsplit/nsplit.h"
#include "core/kinds/page_class.h"
#include "core/memory.h"
#include "filter/page_source.h"
#include "set/dump.h"

/* --- the policy ---------------------------------------------------------- */

/* That of the filter, but the pages are those that were chosen before. */

/* What is in the dump was decided before, so a page whose use has changed since stays in it, or out of it. */
static void classify(void *arg, unsigned worker, uint64_t offset, uint32_t granules, struct runs *classes)
{
	const struct nsplit_dump *d = arg;
	uint64_t end = offset + (uint64_t)granules * GRANULE, at = offset;
	struct runs_position p = { 0 };
	struct dump_pages pages;
	uint32_t run, from, to;

	filter_classify(d->page_policy->filter, worker, offset, granules, classes);
	for (; at < end; at = pages.offset + pages.count * d->layout.page_size) {
		if (!d->layout.next_pages(d, at, end, &pages))
			pages = (struct dump_pages){ .offset = end };
		run = p.run;
		from = runs_split(classes, &p, (uint32_t)((pages.offset - offset) / GRANULE));
		to = runs_split(classes, &p, (uint32_t)((pages.offset - offset + pages.count * d->layout.page_size) / GRANULE));
		for (; run < to; run++) {
			bool stored = class_layer(&d->choice.table, classes->list[run].value);

			/* Left out, or stored elsewhere, as headers of the source are. */
			if (run < from && stored)
				classes->list[run].value = CLASS_SECOND;
			/* Granules of pages of the dump, at the place from which they are taken. */
			else if (run >= from && !stored)
				classes->list[run].value = CLASS_KERNEL;
		}
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

/* Of a thread that makes parts, besides what the filter takes: what it touches of its stack, and what the kernel takes. */
enum { MAKER_MEMORY = 64 * 1024 };

/* For the filter and the choice of pages. */
static size_t memory(void *arg, uint32_t unit_size)
{
	const struct nsplit_dump *d = arg;
	size_t filter = filter_memory(d->source, unit_size, !d->makers);
	uint64_t pages = d->pages.in_core;

	if (d->policy.layers == 1)
		return 0;
	if (!d->makers)
		return filter + page_choice_memory(pages);
	return filter + page_parts_memory(pages) + d->makers * (filter_thread_memory(d->source) + MAKER_MEMORY);
}

/*
 * The order of layers has no use in a pipe, and would make many small pieces of its descriptors.  So all classes are
 * saved in layer 1, but for what comes first, in layer 2, and for marked pages: those come last.
 */
static void join_layers(struct class_table *table)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_layer(table, i))
			table->of[i] = class_entry(class_state(table, i), class_is_marked(i) ? 3 : i == CLASS_FIRST ? 2 : 1);
}

/* Of that in the settings, and puts it in its place; NULL stays. */
static void make_policy(struct nsplit_dump *d, struct capture_settings *settings)
{
	if (!settings->policy)
		return;
	d->policy = *settings->policy;
	if (d->one_pass) {
		join_layers(&d->policy.plan);
		d->policy.layers = (unsigned)min_u64(d->policy.layers, 3);
	}
	d->policy.second = NULL;
	/* Other programs know no columns. */
	d->policy.map_row = 0;
	d->policy.classify = classify;
	d->policy.judge = judge;
	/* The filter was started for the choice, with as many workers or more, and nothing takes long any more. */
	d->policy.start = NULL;
	d->policy.stop = NULL;
	d->policy.memory = memory;
	d->policy.arg = d;
	d->choice.table = settings->policy->plan;
	settings->policy = &d->policy;
}

/* --- the layout ---------------------------------------------------------- */

/* Headers, and where each page is. */

static void put_head(const void *arg, uint64_t from, size_t len, uint8_t *dst, uint64_t *bits)
{
	const struct nsplit_dump *d = arg;
	size_t of_head = from < d->form.bitmap1 ? min_u64(len, d->form.bitmap1 - from) : 0;

	memcpy(dst, d->head + (of_head ? from : 0), of_head);
	if (of_head < len)
		kdump_put_bitmaps(&d->form, from + of_head - d->form.bitmap1, len - of_head, dst + of_head, bits);
}

/* Between far addresses, the bitmaps may have gigabytes of zeros. */
static uint64_t next_head(const void *arg, uint64_t from, const uint64_t *bits)
{
	const struct nsplit_dump *d = arg;
	uint64_t start = d->form.bitmap1;

	return from < start ? from : start + kdump_bitmaps_next(&d->form, from - start, bits);
}

static void put_elf_head(const void *arg, uint64_t from, size_t len, uint8_t *dst, uint64_t *bits)
{
	const struct nsplit_dump *d = arg;

	(void)bits;
	memcpy(dst, d->elf.head + from, len);
}

static bool waits(const void *arg)
{
	const struct nsplit_dump *d = arg;

	return (d->pages.parts && page_parts_making(d->pages.parts)) || atomic_load(&d->ragged->reads);
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

	do {
		if (!pages_next_run_in_source(&d->pages, offset, end, &run))
			return false;
		offset = run.offset + run.count * d->pages.page_size;
	} while (pages_run_is_lost(&d->pages, &run));
	*pages = (struct dump_pages){ .offset = run.offset, .rank = rank_of(d, &run), .count = run.count };
	return true;
}

/* Returns whether the page can be read. */
static bool read_ragged(const struct nsplit_dump *d, uint64_t pfn)
{
	struct ragged_reader *r = d->ragged;
	uint32_t size = d->pages.page_size;
	struct error e;
	bool good;

	atomic_store(&r->reads, true);
	good = !memory_read_page(&d->core, pfn * size, size, r->page, &e);
	atomic_store(&r->reads, false);
	if (!good && message_list_next(&r->unreadable) == ENTRY_LISTED)
		message("unreadable: page at physical address 0x%" PRIx64 " (%s)", pfn * size, e.text);
	return good;
}

/* Those that are kept. */
static bool next_ragged(const void *arg, size_t *i, uint64_t *rank, const uint8_t **page)
{
	const struct nsplit_dump *d = arg;
	const struct pages *p = &d->pages;
	struct page_range run;

	for (; *i < p->ranges_count; ++*i) {
		uint64_t pfn = p->ranges[*i].pfn;

		if (!p->ranges[*i].ragged || !pages_next_run(p, pfn, pfn + 1, &run) || pages_run_is_lost(p, &run))
			continue;
		*rank = rank_of(d, &run);
		*page = read_ragged(d, pfn) ? d->ragged->page : NULL;
		return true;
	}
	return false;
}

static enum status make_ragged_reader(struct nsplit_dump *d, struct error *e)
{
	free(d->ragged);
	d->ragged = calloc(1, sizeof(*d->ragged) + d->pages.page_size);
	if (!d->ragged)
		return error_system(e, ENOMEM, "%s", d->source->name);
	d->ragged->unreadable.limit = RANGES_LISTED;
	return STATUS_OK;
}

/* The form has one codec: options.c refuses others. */
static uint32_t flag_of(const struct capture_settings *settings)
{
	return kdump_flag(settings->presets.list[0].codec->id);
}

static enum status make_elf(struct nsplit_dump *d, struct error *e)
{
	enum status status;

	elf_form_free(&d->elf);
	status = elf_form_init(&d->elf, &d->core, &d->pages, e);

	d->layout = (struct dump_layout){
		.elf = true,
		.page_size = d->pages.page_size,
		.head = d->elf.head_length,
		.pages = d->elf.places,
		.cut = d->pages.lost || d->changed,
		.put_head = put_elf_head, .next_pages = next_pages, .next_ragged = next_ragged, .waits = waits,
		.arg = d,
	};
	return status;
}

static enum status make_kdump(struct nsplit_dump *d, const struct capture_settings *settings, unsigned left_out,
			      struct error *e)
{
	struct kdump_part whole = kdump_whole(&d->pages);

	kdump_init(&d->form, &d->core, &d->info, &d->pages);
	d->form.dump_level = dump_level_of_classes(left_out) | (d->zero ? DUMP_LEVEL_ZERO : 0);
	free(d->head);
	d->head = malloc(d->form.bitmap1);
	if (!d->head)
		return error_system(e, ENOMEM, "headers of the dump");
	kdump_put_head(&d->form, &whole, flag_of(settings) | KDUMP_INCOMPLETE, d->head);
	d->layout = (struct dump_layout){
		.page_size = d->pages.page_size,
		.flag = flag_of(settings),
		.head = d->form.descriptors,
		.pages = d->pages.count,
		.cut = d->pages.lost || d->changed,
		.put_head = put_head, .next_head = next_head, .next_pages = next_pages, .next_ragged = next_ragged, .waits = waits,
		.arg = d,
	};
	return STATUS_OK;
}

/* After the pages were chosen.  left_out: classes of dump levels. */
static enum status init_layout(struct nsplit_dump *d, const struct capture_settings *settings, unsigned left_out,
			       struct error *e)
{
	enum status status = make_ragged_reader(d, e);

	if (status)
		return status;
	status = d->layout.elf ? make_elf(d, e) : make_kdump(d, settings, left_out, e);
	if (d->page_policy->filter)
		d->layout.beside = filter_beside_memory(d->page_policy->filter);
	return status;
}

/* --- memory for program headers ------------------------------------------- */

/*
 * Bytes of memory for each program header of the source, at most: for what a filter knows of them, and for that and
 * what a dump needs, with a page_source.  Measured with 33,000 to 131,000 segments of a page.
 */
enum { HEADER_OF_FILTER = 220, HEADER_OF_DUMP = 660 };

uint64_t nsplit_count_headers(struct source *source)
{
	struct source_bytes reading;
	struct core_bytes bytes;
	uint64_t count = 0;
	struct error ignored;		/* whatever opens the core reports it */

	if (source->is_stream || source_bytes_open(&reading, source, &bytes, &ignored) ||
	    core_count_headers(&bytes, &count, &ignored) || count > CORE_HEADERS_MAX)
		count = 0;
	if (!source->is_stream)
		source_bytes_close(&reading);
	return count;
}

void nsplit_set_headers(struct capture_settings *settings, const struct nsplit_options *o, struct source *source,
			const char *root)
{
	settings->header_memory = o->format != NSPLIT_MEMBERS ? HEADER_OF_DUMP :
				  root || nsplit_has_policy(o, source) ? HEADER_OF_FILTER : 0;
	if (settings->header_memory)
		settings->headers = root ? crash_kernel_segments(root) : nsplit_count_headers(source);
}

struct limit nsplit_limit(const struct nsplit *nsplit)
{
	struct limit limit = limit_here();

	if (nsplit->memory_most.bytes && nsplit->memory_most.bytes < limit.bytes)
		limit = nsplit->memory_most;
	return limit;
}

/* What is allocated is only used later, when the kernel would kill this process for it. */
static enum status check_headers(const struct nsplit *nsplit, size_t each, struct error *e)
{
	const struct limit limit = nsplit_limit(nsplit);
	uint64_t headers = nsplit->options.capture.headers, need = headers * each;
	char text[SIZE_TEXT_LENGTH], have[SIZE_TEXT_LENGTH];

	if (need < HEADERS_MANY || need <= fit_usable(limit.bytes))
		return STATUS_OK;
	return error_set(e, STATUS_NO_MEMORY, "%s: its %" PRIu64 " program headers need %s of memory, and %s is available (%s)",
			 nsplit->source->name, headers, size_format(need, text),
			 size_format(fit_usable(limit.bytes), have), limit.what);
}

static bool is_limited(const struct nsplit_options *o)
{
	const struct capture_limits *limits = &o->capture.limits;

	return limits->size || limits->keep_free || limits->seconds;
}

bool nsplit_has_policy(const struct nsplit_options *o, const struct source *source)
{
	return o->left_out.given || o->format != NSPLIT_MEMBERS || source->made_by_kernel ||
	       (is_limited(o) && !source->is_stream);
}

struct filter_wishes nsplit_wishes(const struct nsplit_options *o)
{
	/* The made-up pages of a drill cannot be told apart, and a warning would speak of them. */
	return (struct filter_wishes){
		.classes = o->left_out.classes, .by_value = is_limited(o) && !o->drill, .read_all = o->read_all,
	};
}

const struct layer_policy *nsplit_open_policy(struct nsplit *nsplit)
{
	const struct filter_wishes wishes = nsplit_wishes(&nsplit->options);
	struct error e;

	if (!check_headers(nsplit, HEADER_OF_FILTER, &e))
		return page_policy_open(&nsplit->page_policy, nsplit->source, &wishes);
	page_policy_expect(&nsplit->page_policy, nsplit->source, &wishes);
	page_policy_give_up(&nsplit->page_policy, e.text);
	return NULL;
}

/* A page is a block: does each of them begin at a multiple of its size in the source? */
static bool are_blocks(const struct pages *p)
{
	for (size_t i = 0; i < p->by_offset_count; i++)
		if (p->by_offset[i]->offset % p->page_size)
			return false;
	return true;
}

static void close_core(struct nsplit_dump *d)
{
	pages_free(&d->pages);
	core_close(&d->core);
	source_bytes_close(&d->bytes);
}

static enum status open_core(struct nsplit_dump *d, struct error *e)
{
	struct core_bytes bytes;
	uint32_t page_size;
	enum status status = source_bytes_open(&d->bytes, d->source, &bytes, e);

	if (!status)
		status = core_open_within(&d->core, &bytes, &core_limits_scarce, e);
	if (!status)
		status = vmcoreinfo_find(&d->core, &d->info, e);
	if (!status)
		status = core_page_size(&d->core, &d->info, &page_size, e);
	if (!status)
		status = pages_find(&d->pages, &d->core, page_size, NULL, e);
	return status;
}

/* If its pages are no blocks, the source becomes one that shows them so. */
static enum status open_blocks(struct nsplit *nsplit, struct error *e)
{
	struct nsplit_dump *d = &nsplit->dump;
	enum status status = check_headers(nsplit, HEADER_OF_DUMP, e);
	const char *damage;
	uint32_t page_size;

	if (!status)
		status = open_core(d, e);
	damage = d->core.damage;
	if (status || are_blocks(&d->pages))
		return status;
	page_size = d->pages.page_size;
	pages_free(&d->pages);
	status = page_source_new(&nsplit->source, nsplit->source, &d->core, page_size, e);
	if (status)
		return status;
	close_core(d);
	d->source = nsplit->source;
	status = open_core(d, e);
	d->core.damage = damage;
	return status;
}

/* What comes first is known by its first place. */
static enum status take_from_first_places(struct nsplit_dump *d, const struct second_places *second, struct error *e)
{
	struct range elsewhere[SECOND_PLACES_MAX];
	const struct absent absent = { .elsewhere = elsewhere, .elsewhere_count = second->count };
	uint32_t page_size = d->pages.page_size;

	for (uint32_t i = 0; i < second->count; i++)
		elsewhere[i] = (struct range){ second->list[i].offset, second->list[i].length };
	pages_free(&d->pages);
	return pages_find(&d->pages, &d->core, page_size, &absent, e);
}

enum status nsplit_refuse_stream(const struct nsplit_options *o, const struct source *source, struct error *e)
{
	if (o->left_out.given)
		return error_set(e, STATUS_USAGE, "%s: --dump-level and --exclude need a source that can be read "
				 "more than once, and this is a stream; omit them, or capture to a file first", source->name);
	if (o->format == NSPLIT_MEMBERS)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: --format=%s needs a source that can be read more than once, "
			 "and this is a stream; omit it, or capture to a file first", source->name,
			 o->format == NSPLIT_ELF ? "elf" : "kdump");
}

/* A dump that njoin opens is better than none. */
static void write_member(const struct nsplit *nsplit, const struct error *why)
{
	message("%s; a member is written instead of a dump in the %s form; njoin reads it", why->text,
		nsplit->options.format == NSPLIT_ELF ? "ELF" : "kdump-compressed");
}

enum status nsplit_dump_open(struct nsplit *nsplit, struct error *e)
{
	struct capture_settings *settings = &nsplit->options.capture;
	struct nsplit_dump *d = &nsplit->dump;
	enum status status;

	*d = (struct nsplit_dump){
		.source = nsplit->source, .page_policy = &nsplit->page_policy, .lost.limit = RANGES_LISTED,
	};
	d->zero = nsplit->options.left_out.zero;
	/* Through a pipe that is a fallback, several layers make more pieces. */
	d->one_pass = !sink_writes_anywhere(&nsplit->sinks[0]);
	status = open_blocks(nsplit, e);
	settings->policy = nsplit_open_policy(nsplit);
	if (!status && settings->policy && settings->policy->first.count)
		status = take_from_first_places(d, settings->policy->second, e);
	if (status) {
		nsplit_dump_close(d);
		if (nsplit->options.dump_required)
			return status;
		write_member(nsplit, e);
		settings->header_memory = HEADER_OF_FILTER;
		return STATUS_OK;
	}
	settings->block_size = d->pages.page_size;
	settings->chunk_size = (uint32_t)round_up(settings->chunk_size, d->pages.page_size);
	settings->dump = &d->layout;
	d->layout.elf = nsplit->options.format == NSPLIT_ELF;
	make_policy(d, settings);
	return STATUS_OK;
}

/* Any thread. */
static void lost(void *arg, uint64_t begin, uint64_t end, uint64_t kept)
{
	struct nsplit_dump *d = arg;

	atomic_fetch_add(&d->changed, kept);
	d->layout.cut = true;
	if (message_list_next(&d->lost) != ENTRY_LISTED)
		return;
	message("%s: changed while it was captured; the pages at physical addresses 0x%" PRIx64 " to 0x%" PRIx64
		" that are not in the dump yet are missing", d->source->name, begin, end - 1);
}

/* --- a flattened dump with a limit of its size ------------------------------ */

/*
 * It is captured in the order of addresses, so classes that will not fit are left out before, by the number of their pages and
 * the bytes of a sample of these.
 */

/* Units that are looked at, and pages of each class in each of them; none that is marked is read so early. */
enum { SAMPLE_UNITS = 512, SAMPLE_PAGES = 4 };

struct sample {
	const struct codec *codec;
	struct packer packer;
	uint64_t count[CLASSES], bytes[CLASSES];
	uint8_t page[GRANULE];
	uint8_t *packed;		/* owned, as the list of classes is */
	struct runs classes;
};

static void sample_page(struct sample *s, const struct core_bytes *bytes, uint64_t offset, unsigned class)
{
	struct error ignored;
	size_t packed;

	if (bytes->read(bytes->arg, offset, GRANULE, s->page, &ignored))
		return;
	s->count[class]++;
	if (bytes_are_zero(s->page, GRANULE))
		return;
	packed = packer_try(&s->packer, s->page, GRANULE, s->packed);
	s->bytes[class] += packed && packed < GRANULE ? packed : GRANULE;
}

static void sample_unit(struct sample *s, const struct nsplit_dump *d, uint64_t offset, uint32_t granules)
{
	unsigned taken[CLASSES] = { 0 };

	s->classes.count = 0;
	filter_classify(d->page_policy->filter, d->choice.first_thread, offset, granules, &s->classes);
	for (uint32_t i = 0; i < s->classes.count; i++) {
		const struct value_run *run = &s->classes.list[i];
		bool wanted = class_layer(&d->choice.table, run->value) && !class_is_marked(run->value);

		for (uint32_t n = 0; n < run->count; n++, offset += GRANULE)
			if (wanted && taken[run->value]++ < SAMPLE_PAGES)
				sample_page(s, &d->core.bytes, offset, run->value);
	}
}

static enum status take_sample(struct sample *s, const struct nsplit_dump *d, const struct capture_settings *settings,
			       struct error *e)
{
	const struct preset *preset = &settings->presets.list[0];
	uint64_t unit = settings->chunk_size, all = d->source->size, step = max_u64(1, all / unit / SAMPLE_UNITS) * unit;
	enum status status = packer_init(&s->packer, preset->codec, preset->level, GRANULE, &settings->id, e);

	s->packed = malloc(preset->codec->bound(GRANULE));
	s->classes.list = malloc(unit / GRANULE * sizeof(*s->classes.list));
	if (!status && (!s->packed || !s->classes.list))
		status = error_system(e, ENOMEM, "a sample of pages");
	for (uint64_t at = 0; !status && at + GRANULE <= all; at += step)
		sample_unit(s, d, at, (uint32_t)(min_u64(unit, all - at) / GRANULE));
	packer_free(&s->packer);
	free(s->packed);
	free(s->classes.list);
	return status;
}

/* Of all pages of a class, with their descriptors, and a little more, since it is a sample. */
static uint64_t bytes_of_class(const struct nsplit_dump *d, const struct sample *s, unsigned class)
{
	double each = GRANULE;

	if (!d->layout.elf)
		each = (s->count[class] ? 1.03 * (double)s->bytes[class] / (double)s->count[class] : GRANULE) +
		       (double)KDUMP_DESCRIPTOR_LENGTH * GRANULE / d->pages.page_size;
	return (uint64_t)(each * (double)d->choice.of_class[class]);
}

static enum status fit_classes(struct nsplit_dump *d, const struct capture_settings *settings, struct error *e)
{
	uint64_t room = settings->limits.size, used = 2 * settings->chunk_size;
	struct class_table *table = &d->choice.table;
	char size[SIZE_TEXT_LENGTH], names[CLASSES * CLASS_LABEL_LENGTH] = "", label[CLASS_LABEL_LENGTH];
	struct sample s = { 0 };
	enum status status = d->layout.elf ? STATUS_OK : take_sample(&s, d, settings, e);

	/* The bitmaps have two bits for each frame. */
	used += d->layout.elf ? 0 : d->pages.end / 4;
	for (unsigned layer = 1; !status && layer <= d->page_policy->policy.layers; layer++) {
		for (unsigned i = 0; i < CLASSES; i++)
			used += class_layer(table, i) == layer ? bytes_of_class(d, &s, i) : 0;
		for (unsigned i = 0; i < CLASSES && layer > 1 && used > room; i++) {
			if (class_layer(table, i) != layer || i == CLASS_FIRST)
				continue;
			table->of[i] = class_entry(CLASS_LEFT_OUT, 0);
			if (d->choice.of_class[i])
				text_append(names, sizeof(names), "%s%s", *names ? ", " : "", class_label(i, label));
		}
	}
	if (status || !*names)
		return status;
	d->dropped = true;
	message("left out, because they would not fit the limit of %s: %s", size_format(room, size), names);
	return filter_choose_again(&d->choice, e);
}

/* While the workers capture, makers have threads of the filter for themselves. */
static enum status choose(struct nsplit_dump *d, const struct capture_settings *settings, struct error *e)
{
	unsigned workers = capture_workers(settings);
	struct filter *f = d->page_policy->filter;
	enum status status = filter_start(f, workers + d->makers, settings->chunk_size, !d->makers, e);

	if (status || d->policy.layers == 1)
		return status;
	d->choice.filter = f;
	d->choice.pages = &d->pages;
	d->choice.threads = d->makers ? d->makers : workers;
	d->choice.first_thread = d->makers ? workers : 0;
	d->choice.after_all = d->page_policy->policy.layers - 1;
	d->choice.part = d->makers ? page_parts_size(d->pages.in_core) : 0;
	d->choice.lost = lost;
	d->choice.arg = d;
	status = filter_choose_pages(&d->choice, e);
	if (!status && d->one_pass && settings->limits.size)
		status = fit_classes(d, settings, e);
	if (d->one_pass)
		join_layers(&d->choice.table);
	/* So even the first pass knows what is saved after all. */
	d->policy.plan = d->choice.table;
	return status;
}

/* More would mostly wait. */
enum { MAKERS = 4 };

bool nsplit_dump_by_parts(struct nsplit *nsplit, bool by_parts)
{
	const struct capture_settings *settings = &nsplit->options.capture;
	struct nsplit_dump *d = &nsplit->dump;
	size_t whole;

	d->makers = 0;
	if (!settings->dump || d->policy.layers == 1 || !by_parts)
		return false;
	whole = d->policy.memory(d, settings->chunk_size);
	d->makers = (unsigned)min_u64(MAKERS, capture_workers(settings));
	if (d->policy.memory(d, settings->chunk_size) < whole)
		return true;
	d->makers = 0;
	return false;
}

static void make_layout(struct nsplit *nsplit, enum status status, struct error *e)
{
	struct capture_settings *settings = &nsplit->options.capture;
	struct nsplit_dump *d = &nsplit->dump;

	if (!status)
		status = init_layout(d, settings, page_classes_left_out(&d->choice.table), e);
	if (!status)
		return;
	write_member(nsplit, e);
	settings->dump = NULL;
	settings->policy = NULL;
}

void nsplit_dump_give_up(struct nsplit *nsplit, const char *why)
{
	enum status status;
	struct error e;

	page_policy_give_up(&nsplit->page_policy, why);
	nsplit->options.capture.policy = NULL;
	if (!nsplit->options.capture.dump)
		return;
	nsplit->dump.choice.table = class_table_plain();
	nsplit->dump.makers = 0;
	nsplit->dump.changed = 0;
	status = pages_keep_all(&nsplit->dump.pages, &e);
	make_layout(nsplit, status, &e);
}

void nsplit_dump_set_codec(struct nsplit *nsplit)
{
	struct nsplit_dump *d = &nsplit->dump;

	if (!nsplit->options.capture.dump || d->layout.elf)
		return;
	d->layout.flag = flag_of(&nsplit->options.capture);
	put_le32(d->head + KDUMP_HEADER_STATUS, d->layout.flag | KDUMP_INCOMPLETE);
}

void nsplit_dump_choose(struct nsplit *nsplit)
{
	struct capture_settings *settings = &nsplit->options.capture;
	struct nsplit_dump *d = &nsplit->dump;
	struct error e;

	if (!settings->dump)
		return;
	if (settings->policy && choose(d, settings, &e))
		nsplit_dump_give_up(nsplit, e.text);
	else
		make_layout(nsplit, STATUS_OK, &e);
}

void nsplit_dump_close(struct nsplit_dump *d)
{
	close_core(d);
	filter_choice_free(&d->choice);
	free(d->head);
	free(d->ragged);
	elf_form_free(&d->elf);
	*d = (struct nsplit_dump){ 0 };
}
