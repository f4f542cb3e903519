// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "core/kinds/page_kind.h"
#include "core/kinds/page_trust.h"
#include "core/pages.h"
#include "filter/filter.h"
#include "filter/first.h"
#include "filter/places.h"
#include "filter/source_bytes.h"
#include "format/record.h"

enum { FILTER_FRAMES = 4096 };		/* whose kinds are found at once */

/* The state with which one thread reads the source.  Must not be moved once it is open. */
struct filter_thread {
	struct source_bytes bytes;
	struct core core;		/* that of the filter, with these bytes */
	struct virt virt;
	struct page_cursor cursor;
	struct page_evidence evidence;
	uint8_t kinds[FILTER_FRAMES + 1];
	bool samples;			/* mappings of this unit are looked at */
};

struct filter {
	/* Constant once it is open. */
	struct source *source;		/* borrowed */
	struct core core;		/* its headers: each thread has its own bytes */
	struct vmcoreinfo info;
	struct virt virt;
	struct page_keys keys;
	struct page_map map;
	struct places places;
	struct first first;
	bool classes;			/* are looked for; otherwise there is nothing but places and core */
	bool votes;			/* are counted meanwhile, since something that is not marked may be left out */
	/* Constant once it is started. */
	struct filter_thread *threads;	/* owned */
	unsigned threads_count;
	uint32_t unit_size;
	uint64_t sample_every;		/* units, of which one has its mappings looked at */
	/*
	 * Counted by the thread that classifies one of the units, while others go on with the next: while the filter
	 * judges, they wait.  It is in the middle, and has nothing of what is captured first, since it takes long.
	 */
	uint64_t vote_unit;
	struct page_vote vote;
	enum status vote_status;
	struct error vote_error;
	atomic_bool stopped;		/* by any thread */
	/*
	 * Two bits for each unit: a thread has begun to classify it, so that facts about it are counted once; and its classes
	 * are known.  Owned.
	 */
	atomic_uchar *seen;
	/*
	 * Four bits for each granule of these units, so that later passes need not find its class again; NULL:
	 * that would take too much memory.  Owned.
	 */
	uint8_t *known;
};

/* Samples of mappings: one for each 16 units, but no more than this. */
enum { SAMPLES = 1024, SAMPLE_UNITS = 16 };

/* The classes of all granules are kept for a source of up to 64 GiB. */
enum { KNOWN_MAX = 8 << 20 };

/* --- threads --------------------------------------------------------------- */

static enum status open_thread(struct filter *f, struct filter_thread *t, struct error *e)
{
	struct core_bytes bytes;
	enum status status = source_bytes_open(&t->bytes, f->source, &bytes, e);

	if (status)
		return status;
	t->core = f->core;
	t->core.bytes = bytes;
	t->virt = f->virt;
	t->virt.core = &t->core;
	page_cursor_init(&t->cursor, &f->map, &t->virt);
	return STATUS_OK;
}

static uint64_t count_units(const struct source *source, uint32_t unit_size)
{
	return divide_up(source->size, unit_size);
}

size_t filter_thread_memory(const struct source *source)
{
	return sizeof(struct filter_thread) + source_bytes_memory(source) +
	       PAGE_ANCHORS_MAX * sizeof(uint64_t);
}

/* For the classes of all granules. */
static uint64_t known_bytes(const struct source *source)
{
	return divide_up(divide_up(source->size, GRANULE), 2);
}

/* 0 for a large source, and where two units would share a byte. */
static size_t known_memory(const struct source *source, uint32_t unit_size, bool remembers)
{
	uint64_t bytes = known_bytes(source);

	return remembers && bytes <= KNOWN_MAX && unit_size % (2 * GRANULE) == 0 ? bytes : 0;
}

size_t filter_memory(const struct source *source, uint32_t unit_size, bool remembers)
{
	return divide_up(count_units(source, unit_size), 4) + known_memory(source, unit_size, remembers);
}

static void stop(struct filter *f)
{
	/* The filter owns the contents of their cores. */
	for (unsigned i = 0; i < f->threads_count; i++) {
		source_bytes_close(&f->threads[i].bytes);
		page_evidence_free(&f->threads[i].evidence);
	}
	free(f->threads);
	free(f->seen);
	free(f->known);
	f->known = NULL;
	f->threads = NULL;
	f->seen = NULL;
	f->threads_count = 0;
}

enum status filter_start(struct filter *f, unsigned threads, uint32_t unit_size, bool remembers, struct error *e)
{
	uint64_t units = count_units(f->source, unit_size);
	size_t known = known_memory(f->source, unit_size, remembers);
	enum status status = STATUS_OK;

	stop(f);
	if (!f->classes)
		return STATUS_OK;
	f->unit_size = unit_size;
	f->sample_every = max_u64(SAMPLE_UNITS, divide_up(units, SAMPLES));
	for (f->vote_unit = units / 2; f->vote_unit + 1 < units; f->vote_unit++)
		if (!first_has(&f->first, f->vote_unit * unit_size, (f->vote_unit + 1) * unit_size))
			break;
	f->seen = calloc(divide_up(units, 4) + 1, 1);
	f->threads = memory_to_read(threads * sizeof(*f->threads));
	f->known = known ? malloc(known) : NULL;
	if (!f->seen || !f->threads || (known && !f->known))
		return error_system(e, ENOMEM, "filter of %u threads", threads);
	memory_touch(f->known, known);
	for (; !status && f->threads_count < threads; f->threads_count++)
		status = open_thread(f, &f->threads[f->threads_count], e);
	return status;
}

/* --- opening --------------------------------------------------------------- */

/* Of /proc/vmcore, both places are the same memory by construction. */
static enum status trust_places(struct filter *f, struct error *e)
{
	if (!second_places_valid(&f->places.second, f->source->size))
		f->places.second.count = 0;
	return f->source->made_by_kernel ? STATUS_OK : places_compare(&f->places, &f->virt, e);
}

static enum status read_headers(struct filter *f, const struct core_bytes *bytes, struct error *e)
{
	enum status status = core_open_within(&f->core, bytes, &core_limits_scarce, e);
	enum status found = status ? status : vmcoreinfo_find(&f->core, &f->info, e);

	if (!status)
		virt_init(&f->virt, &f->core, &f->info);
	if (f->classes)
		status = found ? found : page_keys_find(&f->keys, &f->info, e);
	if (!status && f->classes)
		status = page_map_open(&f->map, &f->virt, &f->keys, e);
	if (!status)
		status = places_find(&f->places, &f->core, e);
	if (!status)
		status = trust_places(f, e);
	if (!status && f->classes)
		first_find(&f->first, &f->map, &f->virt, &f->places);
	return status;
}

/* Afterwards only threads read, so the memory for reading is theirs. */
static enum status open_all(struct filter *f, struct error *e)
{
	struct source_bytes reading;
	struct core_bytes bytes;
	enum status status = source_bytes_open(&reading, f->source, &bytes, e);

	if (!status)
		status = read_headers(f, &bytes, e);
	source_bytes_close(&reading);
	f->core.bytes = (struct core_bytes){ 0 };
	return status;
}

enum status filter_open(struct filter **filter, struct source *source, const struct filter_wishes *wishes,
			struct error *e)
{
	struct filter *f;
	enum status status;

	if (source->is_stream)
		return error_set(e, STATUS_USAGE, "%s: a stream can be read only once", source->name);
	f = calloc(1, sizeof(*f));
	if (!f)
		return error_system(e, ENOMEM, "filter");
	f->source = source;
	f->classes = wishes;
	f->votes = wishes && wishes->classes;
	status = open_all(f, e);
	if (status)
		filter_close(f);
	else
		*filter = f;
	return status;
}

void filter_close(struct filter *f)
{
	if (!f)
		return;
	stop(f);
	range_list_free(&f->first.list);
	places_free(&f->places);
	page_map_close(&f->map);
	core_close(&f->core);
	free(f);
}

uint32_t filter_map_row(const struct filter *f)
{
	return f->classes && column_row_valid(f->keys.size) ? f->keys.size : 0;
}

/* --- the plan -------------------------------------------------------------- */

enum {
	PROCESSES = 1 << CLASS_ANONYMOUS | 1 << CLASS_HUGETLB,
	UNSAVED = 1 << CLASS_PRIVATE | 1 << CLASS_DIRTY,
	UNUSED = 1 << CLASS_CPU_FREE | 1 << CLASS_FREE | 1 << CLASS_UNACCEPTED,
};

/* In the order of value: sets of classes of which each is a layer, up to 0.  Layer 1 is the kernel. */
static const uint16_t values[] = {
	1 << CLASS_FIRST, 1 << CLASS_MAP, PROCESSES, UNSAVED, 1 << CLASS_CLEAN, UNUSED, 0,
};
/* The same where each pass finds all classes again. */
static const uint16_t values_few[] = {
	1 << CLASS_FIRST, 1 << CLASS_MAP, PROCESSES | UNSAVED, 1 << CLASS_CLEAN | UNUSED, 0,
};
/*
 * If everything is wanted, and nobody expects that it does not fit.  On a machine that has been busy, pages of different
 * use alternate, and a layer for each of them takes half as much CPU time again to copy them.
 */
static const uint16_t values_whole[] = {
	1 << CLASS_FIRST, 1 << CLASS_MAP, PROCESSES | UNSAVED | 1 << CLASS_CLEAN | UNUSED, 0,
};

unsigned filter_plan(const struct source *source, const struct filter_wishes *wishes, struct class_table *plan)
{
	bool avoided = wishes && (source->made_by_kernel || wishes->classes);
	const uint16_t *sets;
	unsigned layer = 1;

	*plan = class_table_plain();
	plan->of[CLASS_SECOND] = class_entry(CLASS_TWICE, 0);
	if (!avoided && !(wishes && wishes->by_value))
		return 1;
	sets = !wishes->classes && !wishes->by_value ? values_whole :
	       known_bytes(source) > KNOWN_MAX ? values_few : values;
	for (; *sets; sets++) {
		bool any = false;

		for (unsigned i = 0; i < CLASSES; i++) {
			bool out = page_class_of_captured(i) & wishes->classes;

			if (!(*sets >> i & 1))
				continue;
			any |= !out;
			plan->of[i] = out ? class_entry(CLASS_PLANNED_OUT, 0) : class_entry(CLASS_SAVED, layer + 1);
		}
		layer += any;
	}
	layer += 1 + (wishes->classes != 0);
	plan->of[CLASS_OFFLINE] = plan->of[CLASS_POISONED] =
		avoided && !wishes->read_all ? class_entry(CLASS_PLANNED_OUT, 0) : class_entry(CLASS_SAVED, layer);
	return layer;
}

/* --- the classes of a range ------------------------------------------------- */

/*
 * The frames of a range that begins at paddr in a place.  What is noticed is counted once for each frame, however often
 * its memory is in the source: in its first place, and there with the first range in which it lies.
 */
static void find_kinds(const struct filter *f, struct filter_thread *t, size_t place, uint64_t paddr, uint64_t end,
		       struct page_evidence *evidence)
{
	unsigned shift = f->keys.page_shift;
	uint64_t first = paddr >> shift, count;
	bool before = paddr > first << shift && paddr > f->places.list[place].paddr;
	struct error ignored;

	for (uint64_t pfn = first; pfn < end; pfn += count) {
		uint8_t *kinds = t->kinds + (pfn - first);
		bool counted;

		count = before ? 1 : end - pfn;
		counted = evidence && !before && places_is_first(&f->places, place, pfn, shift, &count);
		before = false;
		/*
		 * Only a failure to allocate memory or a request to stop is returned, and what reads the
		 * source here has neither.
		 */
		if (page_survey_part(&t->cursor, pfn, count, t->samples, kinds, counted ? evidence : NULL, &ignored))
			memset(kinds, PAGE_UNKNOWN, count);
	}
}

/*
 * Whole granules that are in one place.  A granule has one frame, or two if they are not aligned alike, which must be of
 * the same class.
 */
static void classify_piece(struct filter *f, struct filter_thread *t, size_t place, uint64_t paddr,
			   uint64_t length, struct runs *classes, struct page_evidence *evidence)
{
	unsigned shift = f->keys.page_shift;
	uint64_t begin = round_down(paddr, (uint64_t)1 << shift), at = paddr, end = paddr + length;
	size_t count = divide_up(end - begin, (uint64_t)1 << shift);
	enum layer_class before = CLASS_KERNEL;

	find_kinds(f, t, place, paddr, (begin >> shift) + count, evidence);
	for (size_t i = 0, some; i < count; i += some) {
		enum layer_class class = page_captured_as(t->kinds[i]);
		uint64_t frames_end;

		some = bytes_repeated(t->kinds + i, count - i);
		frames_end = min_u64(begin + ((uint64_t)(i + some) << shift), end);
		/* The end of the last frame, and the beginning of this one. */
		if (at < begin + ((uint64_t)i << shift)) {
			runs_add(classes, class == before ? class : CLASS_KERNEL, 1);
			at += GRANULE;
		}
		runs_add(classes, class, (uint32_t)((frames_end - at) / GRANULE));
		at += round_down(frames_end - at, GRANULE);
		before = class;
	}
}

/* Bytes in no segment belong to the headers; a granule that is only partly in one is kept. */
static void find_classes(struct filter *f, struct filter_thread *t, uint64_t offset, uint64_t end,
			 struct runs *classes, struct page_evidence *evidence)
{
	/* Frames are not smaller than granules, so this is not more than FILTER_FRAMES + 1 frames. */
	const uint64_t most = (uint64_t)FILTER_FRAMES * GRANULE;
	size_t i = places_from(&f->places, offset);
	uint64_t done = offset;

	for (; f->classes && i < f->places.count && f->places.list[i].offset < end; i++) {
		const struct stored_range *place = &f->places.list[i];
		uint64_t from = max_u64(place->offset, offset);
		uint64_t to = min_u64(place->offset + place->length, round_down(end, GRANULE)), length;

		for (; from < to; from = done) {
			length = min_u64(to - from, most);
			runs_add(classes, CLASS_KERNEL, (uint32_t)((from - done) / GRANULE));
			classify_piece(f, t, i, place->paddr + (from - place->offset), length, classes, evidence);
			done = from + length;
		}
	}
	runs_add(classes, CLASS_KERNEL, (uint32_t)divide_up(end - done, GRANULE));
}

uint64_t filter_beside_memory(const struct filter *f)
{
	uint64_t beside = f->source->size;

	for (size_t i = 0; i < f->places.count; i++)
		beside -= min_u64(beside, f->places.list[i].length);
	return beside;
}

const struct second_places *filter_second_places(const struct filter *f)
{
	return &f->places.second;
}

const struct range *filter_first(const struct filter *f, size_t *count, size_t *urgent)
{
	*count = f->first.list.count;
	*urgent = f->first.urgent;
	return f->first.list.ranges;
}

/* Once, by the thread that has the unit for it. */
static void count_votes(struct filter *f, struct filter_thread *t)
{
	t->bytes.stop = &f->stopped;
	f->vote_status = page_vote_count(&f->vote, &t->cursor, &f->vote_error);
	t->bytes.stop = NULL;
	/* The cursor reads nothing after such a failure, but pages are still to be classified. */
	if (f->vote_status)
		page_cursor_init(&t->cursor, &f->map, &t->virt);
}

/* From granule at on, which is the first of a unit, and therefore even. */
static void remember(struct filter *f, uint64_t at, const struct runs *classes)
{
	for (uint32_t i = 0; i < classes->count; i++) {
		unsigned class = classes->list[i].value;
		uint64_t end = at + classes->list[i].count;

		if (at % 2)
			f->known[at / 2] = (uint8_t)((f->known[at / 2] & 15) | class << 4);
		/* The other half of the last byte belongs to the next run. */
		memset(f->known + divide_up(at, 2), (int)(class * 0x11), divide_up(end, 2) - divide_up(at, 2));
		at = end;
	}
}

/* Both halves of the last byte are alike if only one is needed. */
static void recall(const struct filter *f, uint64_t at, uint32_t granules, struct runs *classes)
{
	const uint8_t *known = f->known + at / 2, *end = known + divide_up(granules, 2);

	for (size_t n = 1; known < end; known += n, granules -= 2 * (uint32_t)n) {
		unsigned first = *known & 15, second = *known >> 4;

		n = first == second ? bytes_repeated(known, (size_t)(end - known)) : 1;
		runs_add(classes, first, first == second ? (uint32_t)min_u64(2 * n, granules) : 1);
		if (first != second)
			runs_add(classes, second, 1);
	}
}

void filter_classify(struct filter *f, unsigned thread, uint64_t offset, uint32_t granules, struct runs *classes)
{
	const uint64_t begin = offset, end = min_u64(offset + (uint64_t)granules * GRANULE, f->source->size);
	const uint64_t unit = f->classes ? offset / f->unit_size : 0;
	struct filter_thread *t = f->classes ? &f->threads[thread] : NULL;
	const unsigned shift = unit % 4 * 2;
	/* Atomic, since four units share a byte. */
	unsigned seen = t ? (unsigned)atomic_fetch_or(&f->seen[unit / 4], 1 << shift) >> shift : 1;
	bool first = !(seen & 1);
	uint64_t length;

	if (seen & 2) {
		recall(f, offset / GRANULE, granules, classes);
		return;
	}
	if (first && f->votes && unit == f->vote_unit)
		count_votes(f, t);
	if (t)
		t->samples = unit % f->sample_every == 0;
	for (; offset < end; offset += length) {
		uint64_t stored = offset;

		length = end - offset;
		/* The first place of this memory says of which class it is. */
		if (second_places_follow(&f->places.second, &stored, &length))
			runs_add(classes, CLASS_SECOND, (uint32_t)(length / GRANULE));
		else
			find_classes(f, t, offset, offset + length, classes, first ? &t->evidence : NULL);
	}
	first_mark(&f->first, begin, end, classes);
	if (!first || !f->known)
		return;
	remember(f, begin / GRANULE, classes);
	atomic_fetch_or(&f->seen[unit / 4], 2 << shift);
}

/* --- which classes can be believed, after all of them were found ------------ */

/* As what a class of captures is judged that may be left out. */
static unsigned judged_as(unsigned class)
{
	if (class_is_marked(class))
		return class == CLASS_OFFLINE ? JUDGED_OFFLINE : JUDGED_POISONED;
	return (unsigned)__builtin_ctz(page_class_of_captured(class));
}

static bool is_to_leave_out(const struct class_table *table, unsigned judged)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(table, i) == CLASS_PLANNED_OUT && judged_as(i) == judged)
			return true;
	return false;
}

static const char *judged_name(unsigned judged)
{
	return judged < PAGE_CLASSES ? page_class_name(judged) :
				       layer_class_name(judged == JUDGED_OFFLINE ? CLASS_OFFLINE : CLASS_POISONED);
}

/* "cache, private: WHY; free: WHY", as far as there is space. */
static void explain(const struct page_trust *trust, const struct class_table *table,
		    char reason[FILTER_REASON_LENGTH])
{
	reason[0] = '\0';
	for (unsigned c = 0; c < JUDGED; c++) {
		const char *why = trust->why[c];
		bool again = false;

		if (!why[0] || !is_to_leave_out(table, c))
			continue;
		for (unsigned before = 0; before < c; before++)
			again |= is_to_leave_out(table, before) && !strcmp(trust->why[before], why);
		if (again)
			continue;
		text_append(reason, FILTER_REASON_LENGTH, "%s%s", *reason ? "; " : "", judged_name(c));
		for (unsigned other = c + 1; other < JUDGED; other++)
			if (is_to_leave_out(table, other) && !strcmp(trust->why[other], why))
				text_append(reason, FILTER_REASON_LENGTH, ", %s", judged_name(other));
		text_append(reason, FILTER_REASON_LENGTH, ": %s", why);
	}
}

static void decide(const struct page_trust *trust, unsigned after_all, struct class_table *table)
{
	for (unsigned i = 0; i < CLASSES; i++) {
		if (class_state(table, i) != CLASS_PLANNED_OUT)
			continue;
		table->of[i] = trust->why[judged_as(i)][0] ?
			       class_entry(CLASS_SAVED_AFTER_ALL, after_all + class_is_marked(i)) :
			       class_entry(CLASS_LEFT_OUT, 0);
	}
}

static enum status find_facts(struct filter *f, struct filter_thread *t, struct page_facts *facts,
			      struct error *e)
{
	enum status status = f->votes ? f->vote_status : STATUS_OK;

	if (status) {
		*e = f->vote_error;
	} else {
		t->bytes.stop = &f->stopped;
		status = page_facts_collect(facts, &f->map, &t->virt, &t->evidence, f->votes ? &f->vote : NULL, e);
		t->bytes.stop = NULL;
	}
	/* An interrupted read says nothing. */
	if (status == STATUS_STOPPED)
		error_set(e, status, "the capture was stopped before they could be judged");
	return status;
}

void filter_stop(struct filter *f)
{
	atomic_store(&f->stopped, true);
}

void filter_judge(struct filter *f, unsigned thread, unsigned after_all, struct class_table *table,
		  char reason[FILTER_REASON_LENGTH])
{
	struct page_evidence *evidence = &f->threads[thread].evidence;
	struct page_trust trust = { 0 };
	struct page_facts facts;
	struct error e;
	bool needed;

	for (unsigned i = 0; i < f->threads_count; i++)
		if (i != thread)
			page_evidence_merge(evidence, &f->threads[i].evidence);
	/* There is nothing to believe if no page is marked. */
	needed = f->votes || evidence->marked[0] || evidence->marked[1];
	if (needed && find_facts(f, &f->threads[thread], &facts, &e))
		page_trust_refuse_all(&trust, e.text);
	else if (needed)
		page_trust_judge(&trust, &facts);
	explain(&trust, table, reason);
	decide(&trust, after_all, table);
}

/* --- the pages of a dump, before any of them is captured -------------------- */

/* Units that the threads divide among themselves. */
struct choosing {
	struct filter_choice *choice;
	/* Of all pages, or of a part: those from this rank on. */
	struct page_choice *part;
	uint64_t first;
	uint64_t end;			/* unit */
	atomic_ullong next;		/* the next unit; any thread */
};

static uint32_t granules_in_unit(const struct filter_choice *c)
{
	return c->filter->unit_size / GRANULE;
}

/* The last unit may have fewer. */
static uint32_t granules_of_unit(const struct filter_choice *c, uint64_t unit)
{
	uint64_t left = c->filter->source->size - unit * c->filter->unit_size;

	return (uint32_t)min_u64(granules_in_unit(c), divide_up(left, GRANULE));
}

/* Granules of the same class are left out, which are in one place or in none. */
static void leave_out(const struct choosing *c, uint64_t offset, uint64_t end)
{
	const struct places *places = &c->choice->filter->places;
	unsigned shift = c->choice->filter->keys.page_shift;
	size_t i = places_from(places, offset);

	for (; i < places->count && places->list[i].offset < end; i++) {
		const struct stored_range *place = &places->list[i];
		uint64_t from = max_u64(place->offset, offset) - place->offset;
		uint64_t to = min_u64(place->offset + place->length, end) - place->offset;
		uint64_t first = (place->paddr + from) >> shift, count = ((place->paddr + to - 1) >> shift) + 1 - first;

		if (c->part)
			pages_leave_out_of_part(c->choice->pages, c->part, c->first, first, count);
		else
			pages_leave_out(c->choice->pages, first, count);
	}
}

static void choose_in_unit(const struct choosing *c, unsigned thread, uint64_t unit)
{
	struct filter_choice *choice = c->choice;
	struct runs classes = { .list = choice->classes + (size_t)thread * granules_in_unit(choice) };
	uint64_t offset = unit * choice->filter->unit_size, length;

	filter_classify(choice->filter, choice->first_thread + thread, offset, granules_of_unit(choice, unit), &classes);
	for (uint32_t i = 0; i < classes.count; i++, offset += length) {
		const struct value_run *run = &classes.list[i];

		length = (uint64_t)run->count * GRANULE;
		atomic_fetch_add(&choice->of_class[run->value], run->count);
		/* Left out on purpose. */
		if (run->value != CLASS_SECOND && !class_layer(&choice->table, run->value))
			leave_out(c, offset, offset + length);
	}
}

static void choose(void *arg, unsigned thread)
{
	struct choosing *c = arg;
	uint64_t unit;

	while ((unit = atomic_fetch_add(&c->next, 1)) < c->end)
		choose_in_unit(c, thread, unit);
}

/* If the system refuses threads, this one does it all. */
static void choose_in_units(struct choosing *c, uint64_t first, uint64_t end)
{
	struct thread_pool pool = {
		.count = (unsigned)min_u64(c->choice->threads, end - first), .stack = 512 * 1024, .work = choose,
		.arg = c, .least = 1,
	};
	struct error ignored;

	c->next = first;
	c->end = end;
	if (pool.count <= 1 || thread_pool_run(&pool, NULL, &ignored))
		choose(c, 0);
}

static enum status choose_in_all(struct filter_choice *choice, struct error *e)
{
	struct choosing c = { .choice = choice };
	enum status status = pages_leave_out_begin(choice->pages, e);

	if (status)
		return status;
	choose_in_units(&c, 0, divide_up(choice->filter->source->size, choice->filter->unit_size));
	pages_leave_out_end(choice->pages);
	return STATUS_OK;
}

/* --- by parts --------------------------------------------------------------- */

/* Of the pages count from rank first on: the physical addresses from the first one's up to the end of the last one. */
static void addresses_of(const struct filter_choice *c, uint64_t first, uint64_t count, uint64_t *begin, uint64_t *end)
{
	*begin = pages_pfn_in_core(c->pages, first) * c->pages->page_size;
	*end = (pages_pfn_in_core(c->pages, first + count - 1) + 1) * c->pages->page_size;
}

/* All units with a place of these pages; what else is there belongs to other parts. */
static void choose_in_part(void *arg, uint64_t first, struct page_choice *part)
{
	struct filter_choice *choice = arg;
	const struct places *places = &choice->filter->places;
	uint32_t unit_size = choice->filter->unit_size;
	struct choosing c = { .choice = choice, .part = part, .first = first };
	uint64_t begin, end;

	addresses_of(choice, first, part->count, &begin, &end);
	for (size_t i = 0; i < places->count; i++) {
		const struct stored_range *place = &places->list[i];
		uint64_t from = max_u64(begin, place->paddr), to = min_u64(end, place->paddr + place->length);

		if (from < to)
			choose_in_units(&c, (place->offset + (from - place->paddr)) / unit_size,
					divide_up(place->offset + (to - place->paddr), unit_size));
	}
}

static void lose_part(void *arg, uint64_t first, uint64_t count, uint64_t kept)
{
	const struct filter_choice *c = arg;
	uint64_t begin, end;

	addresses_of(c, first, count, &begin, &end);
	c->lost(c->arg, begin, end, kept);
}

static enum status choose_in_parts(struct filter_choice *c, struct error *e)
{
	const struct page_part_maker maker = { .make = choose_in_part, .lost = lose_part, .arg = c };

	struct runs ignored = { .list = c->classes };
	uint64_t unit = c->filter->vote_unit;

	/* It may be in no part, but the filter looks at the kernel image with it. */
	filter_classify(c->filter, c->first_thread, unit * c->filter->unit_size, granules_of_unit(c, unit), &ignored);
	return pages_leave_out_by_parts(c->pages, c->part, &maker, e);
}

enum status filter_choose_again(struct filter_choice *c, struct error *e)
{
	for (unsigned i = 0; i < CLASSES; i++)
		atomic_store(&c->of_class[i], 0);
	return c->part ? choose_in_parts(c, e) : choose_in_all(c, e);
}

enum status filter_choose_pages(struct filter_choice *c, struct error *e)
{
	enum status status;

	c->classes = malloc((size_t)c->threads * granules_in_unit(c) * sizeof(*c->classes));
	if (!c->classes)
		return error_system(e, ENOMEM, "classes of pages");
	status = filter_choose_again(c, e);
	if (status)
		return status;
	filter_judge(c->filter, c->first_thread, c->after_all, &c->table, c->reason);
	/* What is not believed is kept after all, so it is all chosen again. */
	return class_table_has(&c->table, CLASS_SAVED_AFTER_ALL) ? filter_choose_again(c, e) : STATUS_OK;
}

void filter_choice_free(struct filter_choice *c)
{
	free(c->classes);
	c->classes = NULL;
}
