// SPDX-License-Identifier: GPL-2.0-or-later
/* The filter of a capture: places in the source, classes of granules, plans, and what is believed. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/pages.h"
#include "export/kdump.h"
#include "filter/filter.h"
#include "filter/places.h"
#include "helper.h"
#include "made_kernel.h"
#include "trial.h"

enum { UNIT_SIZE = 1 << 20 };

/* --- places ---------------------------------------------------------------- */

static void find_places(struct places *p, struct segment *segments, size_t count)
{
	struct core core = { .segments = segments, .segments_count = count };
	struct error e;

	ck_assert_msg(!places_find(p, &core, &e), "%s", e.text);
}

static void assert_second(const struct places *p, uint32_t i, uint64_t offset, uint64_t target,
			  uint64_t length)
{
	ck_assert_uint_lt(i, p->second.count);
	ck_assert_uint_eq(p->second.list[i].offset, offset);
	ck_assert_uint_eq(p->second.list[i].target, target);
	ck_assert_uint_eq(p->second.list[i].length, length);
}

/* The image, and the memory around it. */
START_TEST(test_second)
{
	struct segment segments[] = {
		{ .offset = 0x2000, .paddr = 0x101000, .filesz = 0x3000 },
		{ .offset = 0x5000, .paddr = 0x100000, .filesz = 0x10000 },
	};
	struct places p;

	find_places(&p, segments, 2);
	ck_assert_uint_eq(p.second.count, 1);
	assert_second(&p, 0, 0x6000, 0x2000, 0x3000);
	ck_assert_uint_eq(places_from(&p, 0x4fff), 0);
	ck_assert_uint_eq(places_from(&p, 0x5000), 1);
	ck_assert_uint_eq(places_from(&p, 0x15000), 2);
	places_free(&p);
}
END_TEST

/* The order in the source counts, not that of the headers; only whole granules do. */
START_TEST(test_second_partial)
{
	struct segment segments[] = {
		{ .offset = 0x8800, .paddr = 0x100800, .filesz = 0x3000 },
		{ .offset = 0x2000, .paddr = 0x100000, .filesz = 0x3000 },
	};
	struct places p;

	find_places(&p, segments, 2);
	ck_assert_uint_eq(p.second.count, 1);
	assert_second(&p, 0, 0x9000, 0x3000, 0x2000);
	places_free(&p);
	segments[0].offset = 0x8900;		/* granules are not aligned alike */
	find_places(&p, segments, 2);
	ck_assert_uint_eq(p.second.count, 0);
	places_free(&p);
}
END_TEST

/* More than a member has: the longest ones count, wherever they are. */
START_TEST(test_many_second_places)
{
	enum { SECOND = 200, EACH = 8 };
	struct segment segments[1 + SECOND] = { { .offset = 0x1000, .paddr = 0, .filesz = SECOND * EACH * GRANULE } };
	uint64_t end = 0x1000 + segments[0].filesz, lengths = 0;
	struct places p;

	for (uint64_t i = 1; i <= SECOND; i++) {
		uint64_t pages = i % 4 == 3 ? 3 + i % 5 : 1;

		segments[i] = (struct segment){ .offset = end, .paddr = (i - 1) * EACH * GRANULE, .filesz = pages * GRANULE };
		end += segments[i].filesz;
		lengths += pages > 1 ? segments[i].filesz : 0;
	}
	find_places(&p, segments, 1 + SECOND);
	ck_assert_uint_eq(p.second.count, SECOND_PLACES_MAX);
	ck_assert(second_places_valid(&p.second, end));
	for (uint32_t i = 0; i < p.second.count; i++)
		lengths -= p.second.list[i].length > GRANULE ? p.second.list[i].length : 0;
	ck_assert_uint_eq(lengths, 0);
	places_free(&p);
}
END_TEST

/* Segments at random addresses, which overlap in all ways: the table is valid, and true. */
START_TEST(test_random_places)
{
	enum { COUNT = 7 };

	srand((unsigned)_i);
	for (int n = 0; n < 2000; n++) {
		struct segment segments[COUNT];
		struct places p;
		uint64_t end = 0x1000;

		for (int i = 0; i < COUNT; i++) {
			segments[i] = (struct segment){
				.offset = end, .paddr = 0x1000u * (unsigned)(rand() % 12),
				.filesz = 0x800u * (unsigned)(1 + rand() % 10),
			};
			end = round_up(end + segments[i].filesz, 0x1000);
		}
		find_places(&p, segments, COUNT);
		ck_assert(second_places_valid(&p.second, end));
		for (uint32_t i = 0; i < p.second.count; i++) {
			const struct second_place *s = &p.second.list[i];
			const struct stored_range *a = &p.list[places_from(&p, s->target)];
			const struct stored_range *b = &p.list[places_from(&p, s->offset)];

			ck_assert_uint_lt(s->target, s->offset);
			ck_assert_uint_eq(s->target - a->offset + a->paddr, s->offset - b->offset + b->paddr);
			ck_assert_uint_le(s->offset + s->length, b->offset + b->length);
			ck_assert_uint_le(s->target + s->length, a->offset + a->length);
		}
		places_free(&p);
	}
}
END_TEST

/* Each frame is noticed once, however places overlap, and the number of frames with the same answer is right. */
START_TEST(test_first_places)
{
	enum { COUNT = 9 };

	srand((unsigned)_i);
	for (int n = 0; n < 500; n++) {
		struct segment segments[COUNT];
		unsigned shift = n % 2 ? 12 : 16, first[64] = { 0 }, any[64] = { 0 };
		uint64_t end = 0x1000, count;
		struct places p;

		for (int i = 0; i < COUNT; i++) {
			segments[i] = (struct segment){
				.offset = end + (unsigned)(rand() % 0x1000), .paddr = 0x400u * (unsigned)(rand() % 99),
				.filesz = 0x700u * (unsigned)(1 + rand() % 30),
			};
			end = segments[i].offset + segments[i].filesz;
		}
		find_places(&p, segments, COUNT);
		for (size_t i = 0; i < p.count; i++) {
			uint64_t begins = p.list[i].paddr >> shift;
			uint64_t last = (p.list[i].paddr + p.list[i].length - 1) >> shift;

			for (uint64_t pfn = begins; pfn <= last; pfn++, any[pfn - 1] = 1) {
				bool is = places_is_first(&p, i, pfn, shift, &(uint64_t){ last + 1 - pfn });

				first[pfn] += is;
				count = last + 1 - pfn;
				places_is_first(&p, i, pfn, shift, &count);
				ck_assert_uint_ge(count, 1);
				ck_assert_uint_le(count, last + 1 - pfn);
				ck_assert(places_is_first(&p, i, pfn + count - 1, shift, &count) == is);
			}
		}
		ck_assert_mem_eq(first, any, sizeof(any));
		places_free(&p);
	}
}
END_TEST

/* --- comparing --------------------------------------------------------------- */

enum { COMPARED = 12 };			/* pages of memory in each place */

struct compared {
	uint8_t bytes[2][COMPARED * GRANULE];
	uint64_t bad;			/* the page at this offset cannot be read; UINT64_MAX: none */
	unsigned reads;
};

static enum status read_compared(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct compared *c = arg;

	c->reads++;
	if (c->bad != UINT64_MAX && offset < c->bad + GRANULE && c->bad < offset + len)
		return error_set(e, STATUS_MISSING, "bad");
	memcpy(dst, (const uint8_t *)c->bytes + offset, len);
	return STATUS_OK;
}

/* Two segments have the same memory, if the kernel agrees (kimage_voffset). */
static struct segment compared_segments[2];

/* Two second places of 4 pages, at pages 12 and 18, of those at 0 and 6.  Returns how many are kept. */
static uint32_t compare_places(struct compared *c, struct places *p)
{
	const struct core core = {
		.bytes = { .size = sizeof(c->bytes), .read = read_compared, .arg = c },
		.segments = compared_segments, .segments_count = 2,
	};
	const struct virt virt = { .core = &core, .linear[1] = { 1 << 30, 1 << 20, COMPARED * GRANULE } };
	struct error e;

	c->reads = 0;
	*p = (struct places){ .second = { 2, { { 12 * GRANULE, 4 * GRANULE, 0 },
					       { 18 * GRANULE, 4 * GRANULE, 6 * GRANULE } } } };
	ck_assert_int_eq(places_compare(p, &virt, &e), STATUS_OK);
	return p->second.count;
}

/* Of a range with a difference, or with a page that cannot be read in one place, nothing remains. */
START_TEST(test_compare)
{
	struct compared *c = calloc(1, sizeof(*c));
	struct places p;

	ck_assert_ptr_nonnull(c);
	c->bad = UINT64_MAX;
	memset(c->bytes, 7, sizeof(c->bytes));
	ck_assert_uint_eq(compare_places(c, &p), 2);
	c->bytes[1][4 * GRANULE - 1] ^= 1;
	ck_assert_uint_eq(compare_places(c, &p), 1);
	assert_second(&p, 0, 18 * GRANULE, 6 * GRANULE, 4 * GRANULE);
	c->bytes[0][6 * GRANULE] ^= 1;
	ck_assert_uint_eq(compare_places(c, &p), 0);
	memset(c->bytes, 7, sizeof(c->bytes));
	for (uint64_t bad = 0; bad < 2 * COMPARED; bad++) {
		bool first = bad % COMPARED < 4, second = bad % COMPARED >= 6 && bad % COMPARED < 10;

		c->bad = bad * GRANULE;
		ck_assert_uint_eq(compare_places(c, &p), 2 - first - second);
	}
	free(c);
}
END_TEST

/* Where the kernel says that it is the same memory, a page of each 64 KiB is compared; wherever it does not, all of them. */
START_TEST(test_compare_sample)
{
	const struct segment agreed[2] = {
		{ .vaddr = 1 << 30, .paddr = 1 << 20, .filesz = COMPARED * GRANULE },
		{ .vaddr = 1 << 30, .paddr = 1 << 20, .filesz = COMPARED * GRANULE, .offset = COMPARED * GRANULE },
	};
	struct compared *c = calloc(1, sizeof(*c));
	struct places p;

	ck_assert_ptr_nonnull(c);
	c->bad = UINT64_MAX;
	c->bytes[1][4 * GRANULE - 1] = c->bytes[1][9 * GRANULE] = 1;
	memcpy(compared_segments, agreed, sizeof(agreed));
	ck_assert_uint_eq(compare_places(c, &p), 2);
	ck_assert_uint_eq(c->reads, 4);
	for (unsigned i = 0; i < 6; i++) {
		struct segment *s = &compared_segments[i % 2];

		memcpy(compared_segments, agreed, sizeof(agreed));
		s->vaddr += i / 2 == 0;
		s->paddr -= i / 2 == 1 ? GRANULE : 0;
		/* Another segment has the rest. */
		s->filesz = i / 2 == 2 ? 3 * GRANULE : s->filesz;
		ck_assert_uint_eq(compare_places(c, &p), 0);
	}
	memcpy(compared_segments, agreed, sizeof(agreed));
	c->bytes[0][6 * GRANULE] = 1;
	ck_assert_uint_eq(compare_places(c, &p), 1);
	memset(compared_segments, 0, sizeof(compared_segments));
	free(c);
}
END_TEST

/* --- classes --------------------------------------------------------------- */

static struct made_map mm;
static struct trial_source source;
static struct filter *filter;
/* May be left out. */
static const struct filter_wishes everything = { .classes = PAGE_CLASS_BIT(PAGE_CLASSES) - 1 };

#define SLAB_ADDRESS (MADE_DIRECT + 0x10000)

static void make_core(void)
{
	struct error e;

	made_map_init_whole(&mm, made_keys_new, "", MADE_MEMORY, NULL);
	ck_assert(!made_map_open(&mm, &e));
	trial_source_init(&source, mm.m.bytes, mm.m.size);
}

static void open_filter_that(bool remembers, unsigned threads, uint32_t unit_size)
{
	struct error e;

	ck_assert_msg(!filter_open(&filter, &source.source, &everything, &e), "%s", e.text);
	ck_assert_msg(!filter_start(filter, threads, unit_size, remembers, &e), "%s", e.text);
}

static void open_filter(unsigned threads, uint32_t unit_size)
{
	open_filter_that(true, threads, unit_size);
}

static void end(void)
{
	filter_close(filter);
	filter = NULL;
	made_map_free(&mm);
}

static uint32_t granules_at(uint64_t offset, uint32_t unit_size)
{
	return (uint32_t)divide_up(min_u64(unit_size, mm.m.size - offset), GRANULE);
}

/* All of them, unit by unit; from the last one on if backwards. */
static uint8_t *classify(uint32_t unit_size, bool backwards)
{
	uint64_t units = divide_up(mm.m.size, unit_size);
	uint8_t *classes = helper_pages(units * unit_size / GRANULE);
	struct value_run *list = calloc(unit_size / GRANULE, sizeof(*list));

	for (uint64_t i = 0; i < units; i++) {
		uint64_t unit = backwards ? units - 1 - i : i, offset = unit * unit_size;

		struct runs runs = { .list = list };
		uint8_t *at = classes + offset / GRANULE;

		filter_classify(filter, (unsigned)(i % 2), offset, granules_at(offset, unit_size), &runs);
		for (uint32_t r = 0; r < runs.count; at += list[r++].count)
			memset(at, list[r].value, list[r].count);
		ck_assert_ptr_eq(at, classes + offset / GRANULE + granules_at(offset, unit_size));
	}
	free(list);
	return classes;
}

static uint8_t class_of_frame(const uint8_t *classes, uint64_t pfn)
{
	return classes[(mm.segments[0].offset + pfn * 4096) / GRANULE];
}

/* A block of free pages, and others that lie in several units. */
static void set_pages(void)
{
	const struct made_fields anonymous = {
		.flags = MADE_PG_LRU | MADE_PG_SWAPBACKED, .mapping = SLAB_ADDRESS | 1, .refcount = 1,
	};

	made_page_free(&mm, 1024, 10);
	made_page_free(&mm, 512, 0);
	made_page_set(&mm, 520, &anonymous);
	made_page_set(&mm, 521, &(struct made_fields){ .flags = MADE_PG_LRU | MADE_PG_POISON });
	made_page_compound(&mm, 4096, 9, true, &anonymous);
}

/* --- plans ----------------------------------------------------------------- */

/* At a dump level.  Returns the layer for what is kept after all. */
static unsigned plan(unsigned level, struct class_table *table)
{
	const struct filter_wishes wishes = { .classes = dump_level_classes(level) };

	return filter_plan(&source.source, &wishes, table) - 1;
}

static bool is_in_image(uint64_t offset)
{
	return offset >= mm.segments[2].offset && offset < mm.segments[2].offset + MADE_IMAGES * 4096;
}

static void assert_image(void)
{
	const struct second_places *second = filter_second_places(filter);

	ck_assert_uint_eq(second->count, 1);
	ck_assert_uint_eq(second->list[0].offset, mm.segments[2].offset);
	ck_assert_uint_eq(second->list[0].length, MADE_IMAGES * 4096);
	ck_assert_uint_eq(second->list[0].target, mm.segments[0].offset + MADE_IMAGE * 4096);
}

/* At level 0 only the image's second place is looked for: no memory map is needed. */
START_TEST(test_places_only)
{
	struct class_table table;
	uint8_t *classes;
	char *size_of_page;
	struct error e;

	made_kernel_init(&mm);
	trial_source_init(&source, mm.m.bytes, mm.m.size);
	size_of_page = memmem(mm.m.bytes, mm.m.size, "SIZE(page)", 10);
	ck_assert_ptr_nonnull(size_of_page);
	*size_of_page = 'X';
	ck_assert_int_ne(filter_open(&filter, &source.source, &everything, &e), STATUS_OK);
	ck_assert_msg(!filter_open(&filter, &source.source, NULL, &e), "%s", e.text);
	ck_assert(!filter_start(filter, 2, 65536, true, &e));
	classes = classify(65536, true);
	for (uint64_t i = 0; i < mm.m.size / GRANULE; i++)
		ck_assert_uint_eq(classes[i], is_in_image(i * GRANULE) ? CLASS_SECOND : CLASS_KERNEL);
	assert_image();
	free(classes);
	ck_assert_uint_eq(plan(0, &table), 0);
	ck_assert(class_table_valid(&table));
	for (unsigned i = 0; i < CLASSES; i++)
		ck_assert_uint_eq(table.of[i], i == CLASS_SECOND ? class_entry(CLASS_TWICE, 0) :
								   class_entry(CLASS_SAVED, 1));
	end();
}
END_TEST

/* This core has no image, so nothing can be believed: all that was to be left out is kept. */
START_TEST(test_nothing_believed)
{
	char reason[FILTER_REASON_LENGTH];
	struct class_table table;
	unsigned last;

	make_core();
	set_pages();
	open_filter(2, UNIT_SIZE);
	free(classify(UNIT_SIZE, false));
	last = plan(24, &table);
	filter_judge(filter, 1, last, &table, reason);
	ck_assert(class_table_valid(&table));
	ck_assert_uint_eq(table.of[CLASS_ANONYMOUS], class_entry(CLASS_SAVED_AFTER_ALL, last));
	ck_assert_uint_eq(table.of[CLASS_FREE], class_entry(CLASS_SAVED_AFTER_ALL, last));
	ck_assert_uint_eq(table.of[CLASS_POISONED], class_entry(CLASS_SAVED_AFTER_ALL, last + 1));
	ck_assert_uint_eq(table.of[CLASS_CLEAN], class_entry(CLASS_SAVED, 5));
	ck_assert_ptr_nonnull(strstr(reason, "user"));
	ck_assert_ptr_null(strstr(reason, "cache"));
	end();
}
END_TEST

/* A kernel with pages of every class, and an image that is in the core twice. */
START_TEST(test_believed)
{
	char reason[FILTER_REASON_LENGTH];
	struct class_table table;
	uint8_t *classes;

	made_kernel_init(&mm);
	trial_source_init(&source, mm.m.bytes, mm.m.size);
	open_filter(2, 65536);
	classes = classify(65536, _i);
	for (uint64_t pfn = 0; pfn < MADE_FRAMES; pfn++) {
		unsigned class = class_of_frame(classes, pfn);
		bool kept = class == CLASS_KERNEL || class == CLASS_MAP || class == CLASS_CPU_FREE ||
			    class == CLASS_POISONED;

		ck_assert_msg(kept == (made_kernel_class(pfn) == PAGE_CLASSES), "frame %d: class %u",
			      (int)pfn, class);
	}
	ck_assert_uint_eq(class_of_frame(classes, MADE_POISONED), CLASS_POISONED);
	ck_assert_uint_eq(class_of_frame(classes, MADE_OFFLINE), CLASS_OFFLINE);
	ck_assert_uint_eq(classes[mm.segments[2].offset / GRANULE], CLASS_SECOND);
	assert_image();
	filter_judge(filter, 0, plan(31, &table), &table, reason);
	ck_assert_str_eq(reason, "");
	for (unsigned i = 0; i < CLASSES; i++)
		ck_assert_int_ne(class_state(&table, i), CLASS_PLANNED_OUT);
	ck_assert_uint_eq(table.of[CLASS_FREE], class_entry(CLASS_LEFT_OUT, 0));
	ck_assert_uint_eq(table.of[CLASS_OFFLINE], class_entry(CLASS_LEFT_OUT, 0));
	free(classes);
	end();
}
END_TEST

static unsigned first_frames(const uint8_t *classes, uint64_t pfn, unsigned count)
{
	unsigned first = 0;

	for (unsigned i = 0; i < count; i++)
		first += class_of_frame(classes, pfn + i) == CLASS_FIRST;
	return first;
}

/* The log and the way there, the stack, and the headers; but nothing that is marked. */
START_TEST(test_first)
{
	struct made_fields poisoned = { .flags = MADE_PG_POISON, .refcount = 1 };
	const uint64_t text = MADE_LOG + 17;
	size_t count, urgent;
	const struct range *ranges;
	uint64_t base, bytes = 0;
	uint8_t *classes;

	made_kernel_init_logged(&mm);
	if (_i)
		made_page_set(&mm, text, &poisoned);
	trial_source_init(&source, mm.m.bytes, mm.m.size);
	open_filter(2, 65536);
	base = mm.segments[0].offset;
	ranges = filter_first(filter, &count, &urgent);
	ck_assert_uint_eq(ranges[0].offset, 0);
	ck_assert_uint_eq(ranges[0].length, GRANULE * divide_up(base, GRANULE));
	for (size_t i = 0; i < urgent; i++)
		bytes += ranges[i].length;
	/* 100 descriptors of 24 bytes, infos of 88, and texts of 48, of which the last ones need no second page. */
	ck_assert_uint_eq(bytes, ranges[0].length + (1 + 1 + 3 + (_i ? 1 : 2)) * GRANULE);
	ck_assert_uint_eq(count, urgent + 1);
	ck_assert_uint_eq(ranges[urgent].offset, base + MADE_STACK * GRANULE);
	ck_assert_uint_eq(ranges[urgent].length, MADE_STACKS * GRANULE);
	classes = classify(65536, false);
	ck_assert_uint_eq(classes[0], CLASS_FIRST);
	ck_assert_uint_eq(first_frames(classes, 0, MADE_FRAMES), 5 + (_i ? 1 : 2) + MADE_STACKS);
	ck_assert_uint_eq(first_frames(classes, MADE_LOG, 2), 2);
	ck_assert_uint_eq(class_of_frame(classes, text), _i ? CLASS_POISONED : CLASS_FIRST);
	free(classes);
	end();
}
END_TEST

/* --- the pages of a dump ----------------------------------------------------- */

struct choice {
	unsigned level, threads;
	bool doubted;			/* user pages are not believed */
	uint64_t part;			/* pages; 0: not by parts */
};

static const struct choice choices[] = {
	{ 31, 1, false, 0 }, { 31, 4, false, 0 }, { 2, 1, false, 0 }, { 4, 3, false, 0 }, { 8, 2, false, 0 },
	{ 16, 4, false, 0 }, { 31, 1, true, 0 }, { 31, 4, true, 0 }, { 8, 2, true, 0 },
	{ 31, 1, false, 64 }, { 31, 4, false, 1000 }, { 2, 3, false, 1 << 20 }, { 31, 2, true, 333 },
};

/* Poisoned and offline pages are left out at every level. */
static bool is_chosen(const struct choice *c, uint64_t pfn)
{
	enum page_class class = made_kernel_class(pfn);

	if (pfn == MADE_POISONED || (pfn >= MADE_OFFLINE && pfn < MADE_OFFLINE + MADE_OFFLINES))
		return false;
	if (class == PAGE_CLASSES || (class == PAGE_CLASS_USER && c->doubted))
		return true;
	return !(dump_level_classes(c->level) & PAGE_CLASS_BIT(class));
}

static bool is_kept(const struct pages *pages, uint64_t pfn)
{
	struct page_range run;

	return pages_next_run(pages, pfn, pfn + 1, &run);
}

/* The pages of the classes that are left out are not chosen; those of a class that is not believed are. */
START_TEST(test_choose_pages)
{
	const struct choice *c = &choices[_i];
	struct filter_choice choice = { .threads = c->threads, .part = c->part, .first_thread = c->part ? 2 : 0 };
	struct pages pages;
	uint64_t chosen = 0;
	unsigned layers;
	struct error e;

	made_kernel_init(&mm);
	if (c->doubted)
		made_kernel_point_to(&mm, MADE_USER);
	trial_source_init(&source, mm.m.bytes, mm.m.size);
	open_filter_that(!c->part, choice.first_thread + c->threads, 65536);
	ck_assert_int_eq(pages_find(&pages, &mm.core, 4096, NULL, &e), STATUS_OK);
	layers = plan(c->level, &choice.table);
	choice.filter = filter;
	choice.pages = &pages;
	choice.after_all = layers;
	ck_assert_int_eq(filter_choose_pages(&choice, &e), STATUS_OK);
	for (uint64_t pfn = 0; pfn < pages.end; pfn++) {
		bool want = pfn >= MADE_FRAMES || is_chosen(c, pfn);

		ck_assert_msg(is_kept(&pages, pfn) == want, "frame %d", (int)pfn);
		chosen += want;
	}
	ck_assert_uint_eq(pages.count, chosen);
	ck_assert_int_eq(*choice.reason != 0, c->doubted);
	if (c->doubted)
		ck_assert_uint_eq(choice.table.of[CLASS_ANONYMOUS], class_entry(CLASS_SAVED_AFTER_ALL, layers));
	for (unsigned i = 0; i < CLASSES; i++)
		ck_assert_int_ne(class_state(&choice.table, i), CLASS_PLANNED_OUT);
	pages_free(&pages);
	filter_choice_free(&choice);
	end();
}
END_TEST

enum { PART = 512 };

struct loss {
	unsigned parts;
	uint64_t begin, end, kept;
};

static void note_loss(void *arg, uint64_t begin, uint64_t end, uint64_t kept)
{
	struct loss *loss = arg;

	*loss = (struct loss){ .parts = loss->parts + 1, .begin = begin, .end = end, .kept = kept };
}

static bool is_lost(const struct pages *pages, uint64_t pfn)
{
	struct page_range run;

	return pages_next_run(pages, pfn, pfn + 1, &run) && pages_run_is_lost(pages, &run);
}

/* A page that was left out becomes one of the kernel, or the other way round. */
START_TEST(test_choose_changing)
{
	const struct made_fields kernel = { .mapcount = UINT32_MAX, .refcount = 1 };
	struct loss loss = { .parts = 0 };
	struct filter_choice choice = { .threads = 2, .part = PART, .first_thread = 1, .lost = note_loss, .arg = &loss };
	uint64_t changed = _i ? MADE_USER + MADE_USERS : MADE_USER, first = changed / PART * PART, kept = 0;
	struct pages pages;
	struct error e;

	made_kernel_init(&mm);
	trial_source_init(&source, mm.m.bytes, mm.m.size);
	open_filter_that(false, 3, 65536);
	ck_assert_int_eq(pages_find(&pages, &mm.core, 4096, NULL, &e), STATUS_OK);
	choice.filter = filter;
	choice.pages = &pages;
	choice.after_all = plan(31, &choice.table);
	ck_assert_int_eq(filter_choose_pages(&choice, &e), STATUS_OK);
	if (_i)
		made_page_free(&mm, changed, 0);
	else
		made_page_set(&mm, changed, &kernel);
	for (uint64_t pfn = first; pfn < first + PART; pfn++)
		kept += is_chosen(&(struct choice){ .level = 31 }, pfn);
	for (uint64_t pfn = 0; pfn < MADE_FRAMES; pfn++) {
		bool want = is_chosen(&(struct choice){ .level = 31 }, pfn);

		if (pfn / PART == first / PART)
			want = pfn - first < kept;
		ck_assert_msg(is_kept(&pages, pfn) == want, "frame %d", (int)pfn);
		ck_assert_msg(!want || is_lost(&pages, pfn) == (pfn / PART == first / PART), "frame %d", (int)pfn);
	}
	ck_assert_uint_eq(loss.parts, 1);
	ck_assert_uint_eq(loss.begin, first * 4096);
	ck_assert_uint_eq(loss.end, (first + PART) * 4096);
	ck_assert_uint_eq(loss.kept, kept);
	pages_free(&pages);
	filter_choice_free(&choice);
	end();
}
END_TEST

/* Parts of the last sections: each has a page that is left out. */
enum { SMALL = 32, SMALL_FIRST = 6144, SMALL_PARTS = 40 };

/*
 * While the bitmaps of a dump are written, a page changes, of which a part has its bits: of the rest of the part, as many
 * pages have a bit as are missing, so that those of all others have the places that they should have.
 */
START_TEST(test_changing_bitmaps)
{
	const struct made_fields kernel = { .mapcount = UINT32_MAX, .refcount = 1 };
	struct loss loss = { .parts = 0 };
	struct filter_choice choice = { .threads = 2, .part = SMALL, .first_thread = 1, .lost = note_loss, .arg = &loss };
	/* The part that is written in two pieces, and the byte of the bitmap that is the first of the second. */
	uint64_t changed = SMALL_FIRST + 3 * SMALL + 17, first = changed / SMALL * SMALL, split = first / 8 + (uint64_t)_i / 2;
	uint8_t *bytes, *before;
	uint64_t bits = 0, found = 0, size, next;
	struct kdump k;
	struct pages pages;
	struct error e;

	made_kernel_init(&mm);
	for (uint64_t i = 0; i < SMALL_PARTS; i++)
		memcpy(made_page(&mm, SMALL_FIRST + i * SMALL + 17), made_page(&mm, MADE_USER), MADE_PAGE);
	/* Or the part has its pages at its end. */
	for (uint64_t i = 0; i < 16 && _i % 2; i++)
		memcpy(made_page(&mm, first + i), made_page(&mm, MADE_USER), MADE_PAGE);
	trial_source_init(&source, mm.m.bytes, mm.m.size);
	open_filter_that(false, 3, 65536);
	ck_assert_int_eq(pages_find(&pages, &mm.core, 4096, NULL, &e), STATUS_OK);
	choice.filter = filter;
	choice.pages = &pages;
	choice.after_all = plan(31, &choice.table);
	ck_assert_int_eq(filter_choose_pages(&choice, &e), STATUS_OK);
	size = divide_up(pages.end, 8);
	k = (struct kdump){ .pages = &pages, .bitmap2 = size, .descriptors = 2 * size };
	before = calloc(1, size);
	bytes = calloc(1, size);
	kdump_put_bitmaps(&k, size, size, before, NULL);
	kdump_put_bitmaps(&k, size, split, bytes, &bits);
	/* Many other parts are asked for, so that this one is made again. */
	made_page_set(&mm, changed, &kernel);
	for (uint64_t pfn = 0; pfn < MADE_FRAMES; pfn += pfn / SMALL == first / SMALL - 1 ? 2 * SMALL : 1)
		is_kept(&pages, pfn);
	for (uint64_t at = split; at < size; at = next) {
		next = min_u64(at + 1, size);
		if (kdump_bitmaps_next(&k, size + at, &bits) < size + next)
			kdump_put_bitmaps(&k, size + at, next - at, bytes + at, &bits);
	}
	ck_assert_uint_eq(loss.parts, 1);
	for (uint64_t i = 0; i < size; i++) {
		found += (uint64_t)__builtin_popcount(bytes[i]);
		ck_assert_msg(bytes[i] == before[i] || i * 8 / SMALL == first / SMALL, "byte %d", (int)i);
	}
	ck_assert_uint_eq(found, pages.count);
	ck_assert_uint_eq(bits, pages.count);
	free(before);
	free(bytes);
	pages_free(&pages);
	filter_choice_free(&choice);
	end();
}
END_TEST

/* --- sources that are not as they say ---------------------------------------- */

/* All segments say physical address 0: the image is different memory, and has no second place. */
START_TEST(test_address_zero)
{
	struct error e;

	made_kernel_init(&mm);
	trial_source_init(&source, mm.m.bytes, mm.m.size);
	for (unsigned i = 0; i < 3; i++)
		put_le64(mm.m.bytes + get_le64(mm.m.bytes + 32) + 56 * (i + 1) + 24, 0);
	ck_assert_msg(!filter_open(&filter, &source.source, NULL, &e), "%s", e.text);
	ck_assert_uint_eq(filter_second_places(filter)->count, 0);
	filter_close(filter);
	/* What the kernel has made is not compared. */
	source.source.made_by_kernel = true;
	ck_assert_msg(!filter_open(&filter, &source.source, NULL, &e), "%s", e.text);
	ck_assert_uint_gt(filter_second_places(filter)->count, 0);
	end();
}
END_TEST

static void count_read(void *arg, uint64_t offset)
{
	unsigned *reads = arg;

	(void)offset;
	++*reads;
}

static void never_in_hole(void *arg, uint64_t offset)
{
	unsigned *reads = arg;

	++*reads;
	ck_assert_msg(!bytes_are_zero(mm.m.bytes + offset, min_u64(64, mm.m.size - offset)) ||
		      !bytes_are_zero(mm.m.bytes + round_down(offset, ALIGNMENT), ALIGNMENT),
		      "byte %llu of a hole is read", (unsigned long long)offset);
}

/* Page structures in a hole of the source are known without reading them. */
START_TEST(test_holes)
{
	unsigned reads[2] = { 0, 0 };
	uint8_t *classes[2];

	made_kernel_init(&mm);
	/* The page structures of the last sections. */
	memset(mm.m.bytes + mm.segments[1].offset + mm.segments[1].filesz / 2, 0, mm.segments[1].filesz / 2);
	for (unsigned sparse = 0; sparse < 2; sparse++) {
		trial_source_init(&source, mm.m.bytes, mm.m.size);
		source.source.sparse = sparse;
		open_filter(2, 65536);
		source.before = sparse ? never_in_hole : count_read;
		source.arg = &reads[sparse];
		classes[sparse] = classify(65536, false);
		filter_close(filter);
	}
	ck_assert_mem_eq(classes[0], classes[1], mm.m.size / GRANULE);
	ck_assert_uint_lt(reads[1], reads[0]);
	free(classes[0]);
	free(classes[1]);
	filter = NULL;
	source.before = NULL;
	end();
}
END_TEST

/* --- a request to stop ------------------------------------------------------- */

struct request {
	unsigned after;			/* reads */
	unsigned reads, too_many;	/* reads, also those after the request */
};

static void stop_at_read(void *arg, uint64_t offset)
{
	struct request *r = arg;

	(void)offset;
	if (r->reads == r->after)
		filter_stop(filter);
	r->too_many += r->reads++ > r->after;
}

/*
 * While it is found out what can be believed: then nothing is read any more for that, and nothing is
 * believed.  Pages are classified as before.
 */
START_TEST(test_stopped)
{
	struct request request = { .after = _i ? 0 : 2 };
	char reason[FILTER_REASON_LENGTH];
	uint8_t *classes, *expected;
	struct class_table table;

	made_kernel_init(&mm);
	trial_source_init(&source, mm.m.bytes, mm.m.size);
	open_filter(2, UNIT_SIZE);
	expected = classify(UNIT_SIZE, false);
	filter_close(filter);
	open_filter(2, UNIT_SIZE);
	source.arg = &request;
	source.before = _i ? NULL : stop_at_read;
	classes = classify(UNIT_SIZE, false);
	ck_assert_mem_eq(classes, expected, mm.m.size / GRANULE);
	source.before = stop_at_read;
	request.reads = request.too_many = 0;
	filter_judge(filter, 0, plan(31, &table), &table, reason);
	ck_assert_uint_eq(request.reads, _i);
	ck_assert_uint_eq(request.too_many, 0);
	ck_assert_str_eq(reason, "cache, private, user, free, offline, poisoned: the capture was stopped before they could be judged");
	ck_assert_int_eq(class_state(&table, CLASS_FREE), CLASS_SAVED_AFTER_ALL);
	free(classes);
	free(expected);
	source.before = NULL;
	end();
}
END_TEST

/* A flag that many pages have is not that of memory errors: they are captured after all. */
START_TEST(test_many_poisoned)
{
	char reason[FILTER_REASON_LENGTH];
	struct class_table table;

	made_kernel_init(&mm);
	/* With the one that is there, as many as are believed; then one more. */
	for (uint64_t i = 0; i < 63 + (uint64_t)_i; i++)
		made_page_set(&mm, MADE_USER + i, &(struct made_fields){ .flags = MADE_PG_LRU | MADE_PG_POISON });
	trial_source_init(&source, mm.m.bytes, mm.m.size);
	open_filter(2, UNIT_SIZE);
	free(classify(UNIT_SIZE, false));
	filter_judge(filter, 0, plan(31, &table), &table, reason);
	ck_assert_int_eq(class_state(&table, CLASS_POISONED), _i ? CLASS_SAVED_AFTER_ALL : CLASS_LEFT_OUT);
	ck_assert_int_eq(class_state(&table, CLASS_ANONYMOUS), CLASS_LEFT_OUT);
	ck_assert_str_eq(reason, _i ? "poisoned: 65 pages have this mark, which are too many" : "");
	end();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("filter");

	tcase_add_loop_test(tcase, test_many_poisoned, 0, 2);
	tcase_add_test(tcase, test_second);
	tcase_add_test(tcase, test_second_partial);
	tcase_add_loop_test(tcase, test_random_places, 0, 4);
	tcase_add_loop_test(tcase, test_first_places, 0, 4);
	tcase_add_test(tcase, test_many_second_places);
	tcase_add_test(tcase, test_compare);
	tcase_add_test(tcase, test_compare_sample);
	tcase_add_test(tcase, test_address_zero);
	tcase_add_test(tcase, test_holes);
	tcase_add_test(tcase, test_places_only);
	tcase_add_loop_test(tcase, test_stopped, 0, 2);
	tcase_add_test(tcase, test_nothing_believed);
	tcase_add_loop_test(tcase, test_first, 0, 2);
	tcase_add_loop_test(tcase, test_believed, 0, 2);
	tcase_add_loop_test(tcase, test_choose_pages, 0, LENGTH(choices));
	tcase_add_loop_test(tcase, test_choose_changing, 0, 2);
	tcase_add_loop_test(tcase, test_changing_bitmaps, 0, 8);
	return helper_run_case("filter", tcase);
}
