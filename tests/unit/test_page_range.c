// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory map, and the kinds of ranges: they never depend on where a range begins or ends. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/kinds/page_class.h"
#include "helper.h"
#include "made_map.h"

#define ANON 0xffff888000100001

static struct made_map mm;

static void make_new(const char *keys)
{
	struct error e;

	made_map_init(&mm, keys, NULL);
	ck_assert_msg(made_map_open(&mm, &e) == STATUS_OK, "%s", e.text);
}

static void make(void)
{
	make_new(made_keys_new);
}

static void end(void)
{
	made_map_free(&mm);
}

static void find(uint64_t pfn, size_t count, uint8_t *kinds)
{
	struct page_cursor cursor;
	struct error e;

	page_cursor_init(&cursor, &mm.map, &mm.virt);
	ck_assert_int_eq(page_range_kinds(&cursor, pfn, count, kinds, &e), STATUS_OK);
}

/* All frames, and more than there are, at once; then in pieces of any size, which must agree. */
static void find_all(uint8_t kinds[MADE_FRAMES + 512], unsigned seed)
{
	static uint8_t again[MADE_FRAMES + 512];
	size_t most[] = { 1, 3, 64, 300, 2000 };

	find(0, MADE_FRAMES + 512, kinds);
	srand(seed);
	for (size_t m = 0; m < LENGTH(most); m++) {
		for (size_t at = 0, count; at < sizeof(again); at += count) {
			count = min_u64(1 + (size_t)rand() % most[m], sizeof(again) - at);
			find(at, count, again + at);
		}
		for (size_t i = 0; i < sizeof(again); i++)
			ck_assert_msg(again[i] == kinds[i], "frame %zu: %s, in pieces of up to %zu: %s", i,
				      page_kind_name(kinds[i]), most[m], page_kind_name(again[i]));
	}
}

static void assert_kinds(uint64_t pfn, uint64_t count, enum page_kind kind)
{
	static uint8_t kinds[MADE_FRAMES];

	find(pfn, count, kinds);
	for (uint64_t i = 0; i < count; i++)
		ck_assert_msg(kinds[i] == kind, "frame %u: %s, not %s", (unsigned)(pfn + i),
			      page_kind_name(kinds[i]), page_kind_name(kind));
}

/* A block is none if the frame in its middle is in use, or begins another one, or does not exist. */
START_TEST(test_free_middle)
{
	struct made_fields used = { .mapcount = UINT32_MAX, .refcount = 1 };
	struct error e;

	make();
	made_page_free(&mm, 1024, 5);
	made_page_set(&mm, 1040, &used);
	assert_kinds(1024, 1, PAGE_TYPED);
	assert_kinds(1025, 64, PAGE_OTHER);
	made_page_free(&mm, 2048, 5);
	made_page_free(&mm, 2064, 4);
	assert_kinds(2048, 1, PAGE_TYPED);
	assert_kinds(2049, 15, PAGE_OTHER);
	assert_kinds(2064, 16, PAGE_FREE);
	made_page_free(&mm, 4096, 10);
	assert_kinds(4096, 1024, PAGE_FREE);
	made_page_set(&mm, 4096 + 512, &(struct made_fields){ .flags = UINT64_MAX, .compound = UINT64_MAX,
							     .mapcount = UINT32_MAX, .refcount = UINT32_MAX });
	assert_kinds(4096, 1, PAGE_TYPED);
	/* Pages of this size have the middle in the section after theirs, which is not present. */
	end();
	made_map_init(&mm, made_keys_new, "LENGTH(zone.free_area)=12");
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_OK);
	for (uint64_t i = 0; i < 2048; i++)
		made_page_set(&mm, 2048 + i, &(struct made_fields){ .mapcount = UINT32_MAX });
	made_page_set(&mm, 2048, &(struct made_fields){ .mapcount = mm.keys.type_buddy, .private = 11 });
	assert_kinds(2048, 2048, PAGE_FREE);
	put_le64(mm.sections + 3 * 32, 0);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_OK);
	assert_kinds(2048, 1, PAGE_TYPED);
	end();
}
END_TEST

START_TEST(test_unaccepted)
{
	make();
	made_page_free(&mm, 1024, 10);
	made_page_set(&mm, 1024, &(struct made_fields){ .mapcount = 0xf7000000 });
	made_page_free(&mm, 1280, 8);
	made_page_set(&mm, 2050, &(struct made_fields){ .mapcount = 0xf7000000 });
	assert_kinds(1024, 1024, PAGE_UNACCEPTED);
	assert_kinds(2050, 1, PAGE_TYPED);
	assert_kinds(2051, 100, PAGE_OTHER);
	end();
}
END_TEST

/* Tails with pointers, then with masks.  The mapping of a tail is odd here, but is not one. */
START_TEST(test_tails)
{
	struct made_fields anon = { .mapping = ANON, .refcount = 1, .mapcount = -1 };
	struct made_fields slab = { .mapcount = 0xf5000000, .refcount = 1 };
	struct made_fields free_head = { .mapcount = 0xf0000000 };
	bool mask = _i;

	make();
	for (unsigned order = 1; order < 11; order++) {
		made_page_compound(&mm, 2048 + ((uint64_t)1 << order), order, mask, &anon);
		made_page_compound(&mm, 4096 + ((uint64_t)1 << order), order, mask, &slab);
	}
	assert_kinds(2050, 2046, PAGE_ANONYMOUS);
	assert_kinds(4098, 2046, PAGE_SLAB);
	/* A memory error is the tail's own. */
	put_le64(made_page(&mm, 2050 + 600), MADE_PG_POISON);
	assert_kinds(2650, 1, PAGE_POISONED);
	assert_kinds(2651, 1, PAGE_ANONYMOUS);
	/* Its head has fewer frames than that, or is no head, or a tail, or free. */
	made_page(&mm, 2048 + 512 + 1)[0] = 5;
	assert_kinds(2048 + 512, 32, PAGE_ANONYMOUS);
	assert_kinds(2048 + 512 + 32, 480 - 422, PAGE_OTHER);
	put_le64(made_page(&mm, 2048 + 256), 0);
	assert_kinds(2048 + 257, 255, PAGE_OTHER);
	put_le64(made_page(&mm, 2048 + 128) + 8, (MADE_BASE + 2048 * MADE_PAGE) | 1);
	assert_kinds(2048 + 128, 128, PAGE_OTHER);
	made_page_compound(&mm, 0, 3, mask, &free_head);
	assert_kinds(1, 7, PAGE_TYPED);
	end();
}
END_TEST

/* A head claims more frames than the mask of its tails says.  Those of the next pages have the same mask. */
START_TEST(test_mask_is_smaller)
{
	struct made_fields anon = { .mapping = ANON, .refcount = 1, .mapcount = -1 };
	struct made_fields slab = { .mapcount = 0xf5000000, .refcount = 1 };
	uint8_t kinds[24];

	make();
	made_page_compound(&mm, 2048, 3, true, &anon);
	made_page_compound(&mm, 2056, 3, true, &slab);
	made_page_compound(&mm, 2064, 3, true, &slab);
	made_page(&mm, 2049)[0] = 9;
	find(2048, 24, kinds);
	for (unsigned i = 0; i < 24; i++)
		ck_assert_int_eq(kinds[i], i < 8 ? PAGE_ANONYMOUS : PAGE_SLAB);
	end();
}
END_TEST

/* Heads that no page of several frames can have. */
START_TEST(test_impossible_heads)
{
	struct made_fields anon = { .mapping = ANON, .refcount = 1, .flags = MADE_PG_HEAD };
	const uint64_t words[] = {
		1, 3, UINT64_MAX, MADE_BASE | 1,			/* frame 0 is no head */
		(MADE_BASE + 100 * MADE_PAGE) | 1,			/* itself */
		(MADE_BASE + 101 * MADE_PAGE) | 1,			/* after it */
		(MADE_BASE + 97 * MADE_PAGE) | 1,			/* not at a multiple of 4 */
		(MADE_BASE + 96 * MADE_PAGE + 32) | 1,			/* between two */
		(MADE_BASE + (uint64_t)(1 << 20) * MADE_PAGE) | 1,	/* not in the map */
		-(uint64_t)32 | 1, -(uint64_t)64 | 1,			/* masks of no order */
		-((uint64_t)64 << 30) | 1,
	};

	make();
	made_page_set(&mm, 96, &anon);
	made_page_set(&mm, 97, &anon);
	made_page(&mm, 98)[0] = 3;
	for (size_t i = 0; i < LENGTH(words); i++) {
		made_page_set(&mm, 100, &(struct made_fields){ .compound = words[i], .mapping = ANON,
							       .refcount = 1 });
		assert_kinds(100, 1, PAGE_OTHER);
	}
	end();
}
END_TEST

/* HVO: the struct pages behind the first 64 are those again, with a head among them. */
START_TEST(test_fake_heads)
{
	struct made_fields head = { .mapcount = 0xf4000000, .mapping = ANON, .refcount = 1 };

	make();
	made_page_compound(&mm, 1024, 9, false, &head);
	for (uint64_t at = 64; at < 512; at += 64)
		memcpy(made_page(&mm, 1024 + at), made_page(&mm, 1024), 64 * MADE_PAGE);
	assert_kinds(1024, 512, PAGE_HUGETLB);
	assert_kinds(1536, 64, PAGE_OTHER);
	end();
}
END_TEST

/* Without a section, or with one that was removed or is not online: its page structures are old. */
START_TEST(test_sections)
{
	struct made_fields anon = { .mapping = ANON, .refcount = 1 };
	struct error e;

	make();
	put_le64(mm.sections + 2 * 32, 0);
	put_le64(mm.sections + 3 * 32, MADE_BASE | 14);
	put_le64(mm.sections + 4 * 32, MADE_BASE | 0xfff);
	put_le64(mm.sections + 5 * 32, MADE_BASE | 0x25);
	put_le64(mm.sections + 6 * 32, MADE_BASE | 0x1b);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_OK);
	for (uint64_t section = 0; section < MADE_SECTIONS; section++) {
		made_page_set(&mm, section * 1024, &anon);
		assert_kinds(section * 1024, 1, section == 2 || section == 3 || section == 6 ?
						PAGE_UNKNOWN : PAGE_ANONYMOUS);
	}
	assert_kinds(MADE_FRAMES + 2000, 100, PAGE_UNKNOWN);
	end();
}
END_TEST

START_TEST(test_bad_sections)
{
	struct error e;

	make();
	for (int i = 0; i < MADE_SECTIONS; i++)
		put_le64(mm.sections + i * 32, (MADE_BASE + (uint64_t)i * 65536) | 15);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_UNSUPPORTED);
	ck_assert_str_eq(e.text, "the sections of memory do not have a common map; only kernels with "
			 "vmemmap are supported");
	/* One of eight would do harm, too. */
	for (int i = 0; i < MADE_SECTIONS; i++)
		put_le64(mm.sections + i * 32, (MADE_BASE + (i == 7 ? 4096 : 0)) | 15);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_UNSUPPORTED);
	memset(mm.sections, 0, MADE_SECTIONS * 32);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_DAMAGED);
	ck_assert_str_eq(e.text, "no section of memory is present");
	end();
	made_map_init(&mm, made_keys_new, "SYMBOL(vmemmap)=ffffea0001000000");
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_DAMAGED);
	ck_assert_str_eq(e.text, "the sections of memory have their map at 0xffffea0000000000, but "
			 "VMCOREINFO says 0xffffea0001000000");
	end();
	made_map_init(&mm, made_keys_new, "SYMBOL(mem_section)=ffff888000000000");
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_DAMAGED);
	ck_assert_str_eq(e.text, "no section of memory is present");
	end();
	made_map_init(&mm, made_keys_new, "LENGTH(mem_section)=1048577");
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_DAMAGED);
	ck_assert_str_eq(e.text, "VMCOREINFO has no valid LENGTH(mem_section)");
	end();
	made_map_init(&mm, made_keys_new, "SYMBOL(mem_section)=ffffc90000000000");
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_MISSING);
	ck_assert_str_eq(e.text, "the sections of memory cannot be read: "
			 "cannot translate kernel address 0xffffc90000000000");
	end();
	/* The root array is in the core, and leads to nothing that is. */
	make();
	put_le64(mm.sections - 4096, 0xffffc90000000000);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_MISSING);
	ck_assert_str_eq(e.text, "the sections of memory cannot be read: "
			 "cannot translate kernel address 0xffffc90000000000");
	end();
}
END_TEST

/* Every section of the array leads to the same map, and the memory is as large as a header may say. */
START_TEST(test_more_sections_than_core)
{
	struct error e;

	make();
	mm.core.segments[0].memsz = (uint64_t)1 << 36;
	for (int i = 0; i < 128; i++)
		put_le64(mm.sections + i * 32, MADE_BASE | 15);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_DAMAGED);
	ck_assert_str_eq(e.text, "the memory map of more than 9 sections would be larger than the core");
	end();
	made_map_init(&mm, made_keys_new, "NUMBER(SECTION_SIZE_BITS)=36");
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_DAMAGED);
	ck_assert_str_eq(e.text, "VMCOREINFO has no valid NUMBER(SECTION_SIZE_BITS)");
	end();
	/* A window of struct pages of 32 bytes could be of two sections, of which one is not present. */
	made_map_init(&mm, made_keys_new, "NUMBER(SECTION_SIZE_BITS)=20");
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_DAMAGED);
	ck_assert_str_eq(e.text, "VMCOREINFO has no valid NUMBER(SECTION_SIZE_BITS)");
	end();
}
END_TEST

/* Not SPARSEMEM_EXTREME: one array. */
START_TEST(test_one_array)
{
	struct error e;

	made_map_init(&mm, made_keys_new, "SYMBOL(mem_section)=ffff888000002000");
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_DAMAGED);
	end();
	made_map_init(&mm, made_keys_new, "NUMBER(MAX_PHYSMEM_BITS)=29");
	memcpy(mm.sections - 4096, mm.sections, 4096);
	ck_assert_msg(made_map_open(&mm, &e) == STATUS_OK, "%s", e.text);
	assert_kinds(0, MADE_FRAMES, PAGE_OTHER);
	end();
}
END_TEST

/* The pages of the map itself, and of the image, unless they are used for something else. */
START_TEST(test_by_address)
{
	uint64_t own = MADE_FRAMES;

	make();
	ck_assert_uint_eq(mm.map.own.count, 1);
	ck_assert_uint_eq(mm.map.own.ranges[0].offset, own);
	ck_assert_uint_eq(mm.map.own.ranges[0].length, MADE_FRAMES * MADE_PAGE / 4096);
	/* They have struct pages that are not in the map. */
	assert_kinds(own, 10, PAGE_UNKNOWN);
	mm.map.own.ranges[0].offset = 1000;
	mm.map.image = (struct range){ 10, 20 };
	made_page_set(&mm, 1001, &(struct made_fields){ .flags = MADE_PG_RESERVED, .mapcount = -1 });
	made_page_set(&mm, 1002, &(struct made_fields){ .mapping = ANON, .refcount = 1 });
	made_page_set(&mm, 11, &(struct made_fields){ .mapping = ANON, .refcount = 1 });
	assert_kinds(1000, 128, PAGE_MAP);
	assert_kinds(1128, 10, PAGE_OTHER);
	assert_kinds(9, 1, PAGE_OTHER);
	assert_kinds(10, 1, PAGE_IMAGE);
	assert_kinds(11, 1, PAGE_ANONYMOUS);
	assert_kinds(12, 18, PAGE_IMAGE);
	assert_kinds(30, 1, PAGE_OTHER);
	end();
}
END_TEST

/* What cannot be read is unknown, and no other page. */
START_TEST(test_unreadable)
{
	static uint8_t kinds[MADE_FRAMES + 512];

	make();
	mm.m.missing = mm.segments[1].offset + 100 * MADE_PAGE + 8;
	mm.m.missing_length = MADE_PAGE;
	assert_kinds(0, 100, PAGE_OTHER);
	assert_kinds(100, 2, PAGE_UNKNOWN);
	assert_kinds(102, 500, PAGE_OTHER);
	find_all(kinds, 1);
	end();
}
END_TEST

/* --- any map ------------------------------------------------------------------ */

static uint64_t some_of(const uint64_t *values, size_t count)
{
	return values[(size_t)rand() % count];
}

static void put_random(uint64_t pfn)
{
	const uint64_t types[] = { 0xffffffff, 0, 3, 0xf0000000, 0xf5000000, 0xf4000000, 0xf7000000,
				   0xf1000000, 0xfa000000 };
	const uint64_t flags[] = { 0, MADE_PG_LRU, MADE_PG_HEAD, MADE_PG_RESERVED, MADE_PG_POISON, MADE_PG_LRU | MADE_PG_DIRTY };
	const uint64_t mappings[] = { 0, ANON, ANON - 1, ANON + 2 };
	struct made_fields f = {
		.mapcount = (uint32_t)some_of(types, LENGTH(types)),
		.flags = some_of(flags, LENGTH(flags)),
		.mapping = some_of(mappings, LENGTH(mappings)),
		.refcount = rand() % 2,
		.private = (uint64_t)rand() % 12,
	};

	if (rand() % 4 == 0)
		f.compound = (MADE_BASE + (pfn & ~(uint64_t)(rand() % 64)) * MADE_PAGE) | 1;
	else if (rand() % 8 == 0)
		f.compound = -((uint64_t)MADE_PAGE << rand() % 12) | 1;
	made_page_set(&mm, pfn, &f);
}

static void put_sound(uint64_t *pfn)
{
	struct made_fields anon = { .mapping = ANON, .refcount = 1 };
	unsigned order = (unsigned)rand() % MADE_ORDERS;

	while (*pfn & (((uint64_t)1 << order) - 1))
		order--;
	if (rand() % 2)
		made_page_free(&mm, *pfn, order);
	else if (order)
		made_page_compound(&mm, *pfn, order, rand() % 2, &anon);
	*pfn += (uint64_t)1 << order;
}

/* As page_begins_block(), and the frame in the middle may be in the block. */
static bool begins_block(uint64_t pfn, unsigned *order, enum page_kind *kind)
{
	unsigned found;

	if (!page_begins_block(&mm.keys, made_page(&mm, pfn), pfn, &found, kind))
		return false;
	if (found) {
		uint64_t middle = pfn + ((uint64_t)1 << found) / 2;

		if (!page_map_has(&mm.map, middle) ||
		    !page_may_continue_block(&mm.keys, made_page(&mm, middle)))
			return false;
	}
	*order = found;
	return true;
}

static enum page_kind kind_of_tail(uint64_t head, uint64_t distance)
{
	uint64_t frames;
	enum page_kind kind = page_kind_of_tails(&mm.keys, made_page(&mm, head),
						 made_page(&mm, head + 1), &frames);

	return distance < frames ? kind : PAGE_OTHER;
}

/*
 * The kinds as one thread would find them that goes through all frames and skips each block that it
 * meets.
 */
static void find_in_order(uint8_t *kinds)
{
	for (uint64_t pfn = 0; pfn < MADE_FRAMES; ) {
		uint64_t address = page_map_address(&mm.map, pfn), head, reach;
		const uint8_t *page = made_page(&mm, pfn);
		enum page_kind kind;
		unsigned order = 0;

		if (!page_map_has(&mm.map, pfn))
			kind = PAGE_UNKNOWN;
		else if (begins_block(pfn, &order, &kind))
			;
		else if (page_is_poisoned(&mm.keys, page))
			kind = PAGE_POISONED;
		else if (page_is_reserved(&mm.keys, page))
			kind = PAGE_RESERVED;
		else if (!page_is_tail(&mm.keys, page))
			kind = page_kind_of(&mm.keys, page, page + MADE_PAGE);
		else if (page_head(&mm.keys, page, pfn, address, &head, &reach) &&
			 page_map_has(&mm.map, head))
			kind = kind_of_tail(head, pfn - head);
		else
			kind = PAGE_OTHER;
		memset(kinds + pfn, (int)kind, (size_t)1 << order);
		pfn += (uint64_t)1 << order;
	}
}

START_TEST(test_any_map)
{
	static uint8_t kinds[MADE_FRAMES + 512], in_order[MADE_FRAMES];
	struct error e;

	srand((unsigned)_i);
	make();
	for (uint64_t pfn = 0; pfn < MADE_FRAMES; )
		put_sound(&pfn);
	/* From a sound map to one that has nothing sound. */
	for (uint64_t pfn = 0; pfn < MADE_FRAMES; pfn++)
		if (rand() % 20 < _i)
			put_random(pfn);
	put_le64(mm.sections + (_i % MADE_SECTIONS) * 32, 0);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_OK);
	find_in_order(in_order);
	find_all(kinds, (unsigned)_i);
	for (size_t i = 0; i < MADE_FRAMES; i++)
		ck_assert_msg(kinds[i] == in_order[i], "frame %zu: %s, in order: %s", i,
			      page_kind_name(kinds[i]), page_kind_name(in_order[i]));
	end();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("page_range");

	tcase_add_test(tcase, test_free_middle);
	tcase_add_test(tcase, test_unaccepted);
	tcase_add_loop_test(tcase, test_tails, 0, 2);
	tcase_add_test(tcase, test_mask_is_smaller);
	tcase_add_test(tcase, test_impossible_heads);
	tcase_add_test(tcase, test_fake_heads);
	tcase_add_test(tcase, test_sections);
	tcase_add_test(tcase, test_bad_sections);
	tcase_add_test(tcase, test_more_sections_than_core);
	tcase_add_test(tcase, test_one_array);
	tcase_add_test(tcase, test_by_address);
	tcase_add_test(tcase, test_unreadable);
	tcase_add_loop_test(tcase, test_any_map, 0, 21);
	return helper_run_case("page_range", tcase);
}
