// SPDX-License-Identifier: GPL-2.0-or-later
/* What VMCOREINFO says about struct page, and the kinds of single pages. */
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "core/kinds/page_class.h"
#include "helper.h"
#include "made_map.h"

#define ANON 0xffff888000100001
#define FILE 0xffff888000100000
#define LIST 0xffff888000100008
#define POISON_LIST 0xdead000000000100

static const struct {
	struct made_fields page;
	enum page_kind kind;
} cases[] = {
	{ { .mapcount = -1, .refcount = 1 }, PAGE_OTHER },
	{ { .mapcount = 0xf5000000, .mapping = ANON, .refcount = 1 }, PAGE_SLAB },
	{ { .mapcount = 0xf5000007, .refcount = 1 }, PAGE_SLAB },	/* the owner uses the rest */
	{ { .mapcount = 0xf8000000, .refcount = 1 }, PAGE_KMALLOC },
	{ { .mapcount = 0xf2000000, .refcount = 1, .mapping = ANON }, PAGE_TABLE },
	{ { .mapcount = 0xf9000000, .refcount = 1, .mapping = ANON }, PAGE_TYPED },
	{ { .mapcount = 0xff000000, .refcount = 1, .mapping = ANON }, PAGE_OTHER },	/* underflow */
	{ { .mapcount = 0xf1000000, .refcount = 1 }, PAGE_OFFLINE },
	{ { .mapcount = 0xf1000000 }, PAGE_OFFLINE },
	{ { .mapcount = 0xf1000000, .refcount = 2 }, PAGE_TYPED },
	{ { .mapcount = 0xf1000000, .flags = MADE_PG_RESERVED }, PAGE_RESERVED },
	{ { .mapcount = 0xf5000000, .flags = MADE_PG_RESERVED }, PAGE_RESERVED },
	{ { .mapcount = 0xf4000000 }, PAGE_TYPED },			/* of hugetlb, but not large */
	{ { .mapcount = -1, .flags = MADE_PG_RESERVED | MADE_PG_LRU, .refcount = 1 }, PAGE_RESERVED },
	{ { .mapcount = 0, .mapping = ANON, .refcount = 1 }, PAGE_ANONYMOUS },
	{ { .mapcount = 5, .mapping = ANON | 2, .refcount = 1 }, PAGE_ANONYMOUS },	/* KSM */
	{ { .mapcount = -1, .mapping = FILE | 2, .refcount = 1 }, PAGE_OTHER },	/* movable */
	{ { .mapcount = -1, .flags = MADE_PG_LRU, .mapping = FILE | 2, .refcount = 1 }, PAGE_OTHER },
	{ { .mapcount = 0, .mapping = 0x1234567, .refcount = 1 }, PAGE_OTHER },
	{ { .mapcount = 0, .mapping = ANON }, PAGE_OTHER },		/* nobody refers to it */
	{ { .mapcount = -1, .flags = MADE_PG_LRU, .mapping = FILE, .refcount = 1 }, PAGE_CACHE_CLEAN },
	{ { .mapcount = -1, .flags = MADE_PG_LRU | MADE_PG_DIRTY, .mapping = FILE, .refcount = 1 },
	  PAGE_CACHE_DIRTY },
	{ { .mapcount = -1, .flags = MADE_PG_LRU | MADE_PG_DIRTY | MADE_PG_PRIVATE, .mapping = FILE, .refcount = 1 },
	  PAGE_CACHE_PRIVATE },
	{ { .mapcount = -1, .flags = MADE_PG_SWAPBACKED | MADE_PG_SWAPCACHE, .refcount = 1 }, PAGE_CACHE_CLEAN },
	{ { .mapcount = -1, .flags = MADE_PG_SWAPCACHE, .refcount = 1 }, PAGE_OTHER },
	{ { .mapcount = -1, .next = LIST, .previous = LIST + 64 }, PAGE_CPU_FREE },
	{ { .mapcount = -1, .next = LIST, .previous = LIST }, PAGE_OTHER },	/* in no list */
	{ { .mapcount = -1, .next = LIST, .previous = LIST + 64, .refcount = 1 }, PAGE_OTHER },
	{ { .mapcount = -1, .next = POISON_LIST, .previous = LIST }, PAGE_OTHER },
	{ { .mapcount = -1, .next = LIST, .previous = LIST + 64, .mapping = FILE }, PAGE_OTHER },
	{ { .mapcount = -1, .flags = MADE_PG_LRU, .refcount = 1 }, PAGE_OTHER },	/* of no file */
	{ { .mapcount = 0xf0000000 }, PAGE_FREE },
	{ { .mapcount = 0xf0000000, .refcount = 1 }, PAGE_TYPED },
	{ { .mapcount = 0xf0000000, .flags = MADE_PG_RESERVED }, PAGE_RESERVED },
	{ { .mapcount = 0xf0000000, .private = MADE_ORDERS }, PAGE_TYPED },
	{ { .mapcount = 0xf0000000, .private = 63 }, PAGE_TYPED },
	{ { .mapcount = 0xf0000000, .private = (uint64_t)1 << 32 }, PAGE_TYPED },
	{ { .mapcount = 0, .mapping = ANON, .refcount = 1, .flags = MADE_PG_POISON }, PAGE_POISONED },
	{ { .mapcount = 0xf0000000, .flags = MADE_PG_POISON }, PAGE_POISONED },
	{ { .mapcount = -1, .flags = UINT64_MAX, .compound = UINT64_MAX, .mapping = UINT64_MAX,
	    .refcount = UINT32_MAX }, PAGE_OTHER },
};

START_TEST(test_kinds)
{
	struct made_map mm;
	struct error e;

	made_map_init(&mm, made_keys_new, NULL);
	ck_assert_msg(made_map_open(&mm, &e) == STATUS_OK, "%s", e.text);
	made_page_set(&mm, 8, &cases[_i].page);
	ck_assert_str_eq(page_kind_name(made_kind(&mm, 8)), page_kind_name(cases[_i].kind));
	made_map_free(&mm);
}
END_TEST

/* Before 6.10, with a flag for slab, page types that are bits, and a destructor of hugetlb. */
START_TEST(test_old_kinds)
{
	struct made_fields slab = { .flags = MADE_PG_SLAB_OLD, .mapping = ANON, .refcount = 1 };
	struct made_fields head = { .mapcount = -1, .refcount = 1 };
	struct made_map mm;
	struct error e;

	made_map_init(&mm, made_keys_old, NULL);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_OK);
	made_page_set(&mm, 1, &slab);
	made_page_set(&mm, 2, &(struct made_fields){ .mapcount = (uint32_t)-257, .refcount = 1 });
	made_page_set(&mm, 3, &(struct made_fields){ .mapcount = (uint32_t)-513, .mapping = ANON,
						     .refcount = 1 });
	made_page_set(&mm, 5, &(struct made_fields){ .mapcount = (uint32_t)-129 });
	made_page_compound(&mm, 16, 4, false, &head);
	made_page(&mm, 17)[16] = 2;
	made_page_compound(&mm, 32, 4, false, &head);
	ck_assert_int_eq(made_kind(&mm, 1), PAGE_SLAB);
	ck_assert_int_eq(made_kind(&mm, 2), PAGE_OFFLINE);
	ck_assert_int_eq(made_kind(&mm, 3), PAGE_TYPED);
	ck_assert_int_eq(made_kind(&mm, 5), PAGE_FREE);
	for (uint64_t pfn = 16; pfn < 32; pfn++) {
		ck_assert_int_eq(made_kind(&mm, pfn), PAGE_HUGETLB);
		ck_assert_int_eq(made_kind(&mm, pfn + 16), PAGE_OTHER);
	}
	made_map_free(&mm);
}
END_TEST

/* No page of hugetlb has fewer frames than 16. */
START_TEST(test_hugetlb)
{
	struct made_fields head = { .mapcount = 0xf4000000 };
	struct made_map mm;
	struct error e;

	made_map_init(&mm, made_keys_new, NULL);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_OK);
	made_page_compound(&mm, 16, 4, true, &head);
	made_page_compound(&mm, 32, 3, true, &head);
	for (uint64_t pfn = 16; pfn < 32; pfn++)
		ck_assert_int_eq(made_kind(&mm, pfn), PAGE_HUGETLB);
	for (uint64_t pfn = 32; pfn < 40; pfn++)
		ck_assert_int_eq(made_kind(&mm, pfn), PAGE_TYPED);
	made_map_free(&mm);
}
END_TEST

/* A memory error in a page of hugetlb may be in any of its frames: the kernel marks the head. */
START_TEST(test_poisoned_hugetlb)
{
	struct made_fields head = { .mapcount = 0xf4000000 }, anon = { .mapping = ANON, .refcount = 1 };
	struct made_map mm;
	struct error e;

	made_map_init(&mm, made_keys_new, NULL);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_OK);
	made_page_compound(&mm, 16, 4, true, &head);
	made_page_compound(&mm, 32, 4, true, &anon);
	put_le64(made_page(&mm, 16), MADE_PG_HEAD | MADE_PG_POISON);
	put_le64(made_page(&mm, 32), MADE_PG_HEAD | MADE_PG_POISON);
	for (uint64_t pfn = 16; pfn <= 32; pfn++)
		ck_assert_int_eq(made_kind(&mm, pfn), PAGE_POISONED);
	for (uint64_t pfn = 33; pfn < 48; pfn++)
		ck_assert_int_eq(made_kind(&mm, pfn), PAGE_ANONYMOUS);
	made_map_free(&mm);
}
END_TEST

/* Without a key, the kinds that need it are the kernel's, and a sentence says why. */
static const struct {
	const char *change;
	enum page_test off;
	bool no_free, no_cache, no_user;	/* with it */
	const char *why;
} missing[] = {
	{ "OFFSET(page.compound_info)", PAGE_TEST_TAIL, false, true, true,
	  "VMCOREINFO has no valid OFFSET(page.compound_head)" },
	{ "NUMBER(PG_head_mask)", PAGE_TEST_TAIL, false, true, true,
	  "VMCOREINFO has no valid NUMBER(PG_head_mask)" },
	{ "NUMBER(PG_head_mask)=65", PAGE_TEST_TAIL, false, true, true,
	  "VMCOREINFO has no valid NUMBER(PG_head_mask)" },
	{ "NUMBER(PAGE_SLAB_MAPCOUNT_VALUE)", PAGE_TEST_SLAB, true, true, true,
	  "VMCOREINFO has no valid NUMBER(PAGE_SLAB_MAPCOUNT_VALUE)" },
	{ "NUMBER(PAGE_BUDDY_MAPCOUNT_VALUE)", PAGE_TEST_FREE, true, false, false,
	  "VMCOREINFO has no valid NUMBER(PAGE_BUDDY_MAPCOUNT_VALUE)" },
	{ "NUMBER(PAGE_BUDDY_MAPCOUNT_VALUE)=0", PAGE_TEST_FREE, true, false, false,
	  "VMCOREINFO has no valid NUMBER(PAGE_BUDDY_MAPCOUNT_VALUE)" },
	{ "OFFSET(page.private)=60", PAGE_TEST_FREE, true, false, false,
	  "VMCOREINFO has no valid OFFSET(page.private)" },
	{ "LENGTH(zone.free_area)=64", PAGE_TEST_FREE, true, false, false,
	  "VMCOREINFO has no valid LENGTH(zone.free_area)" },
	{ "OFFSET(page.mapping)=64", PAGE_TEST_USER, false, true, true,
	  "VMCOREINFO has no valid OFFSET(page.mapping)" },
	{ "OFFSET(page.mapping)=48", PAGE_TEST_SLAB, true, true, true,
	  "two fields of struct page in VMCOREINFO overlap" },
	{ "OFFSET(page.mapping)=8", PAGE_TEST_SLAB, true, true, true,
	  "two fields of struct page in VMCOREINFO overlap" },
	{ "NUMBER(PG_lru)", PAGE_TEST_CACHE, false, true, false, "VMCOREINFO has no valid NUMBER(PG_lru)" },
	{ "NUMBER(PG_lru)=6", PAGE_TEST_CACHE, true, true, true,
	  "two flags in VMCOREINFO have the same bit" },
	{ "NUMBER(PG_hwpoison)=17", PAGE_TEST_CACHE, true, true, true,
	  "two flags in VMCOREINFO have the same bit" },
	{ "NUMBER(PAGE_SLAB_MAPCOUNT_VALUE)=-268435456", PAGE_TEST_SLAB, true, true, true,
	  "two page types in VMCOREINFO have the same number" },
	{ "NUMBER(PAGE_UNACCEPTED_MAPCOUNT_VALUE)=-16777216", PAGE_TEST_FREE, true, true, true,
	  "a page type in VMCOREINFO has the value of pages without a type" },
};

START_TEST(test_missing)
{
	struct made_fields anon = { .mapping = ANON, .refcount = 1 };
	struct made_fields cache = { .flags = MADE_PG_LRU, .mapping = FILE, .refcount = 1 };
	struct made_map mm;
	struct error e;

	made_map_init(&mm, made_keys_new, missing[_i].change);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_OK);
	ck_assert_str_eq(mm.keys.off[missing[_i].off], missing[_i].why);
	made_page_set(&mm, 1, &anon);
	made_page_set(&mm, 2, &cache);
	made_page_set(&mm, 3, &(struct made_fields){ .mapcount = 0xf0000000 });
	ck_assert_int_eq(made_kind(&mm, 1) == PAGE_ANONYMOUS, !missing[_i].no_user);
	ck_assert_int_eq(made_kind(&mm, 2) == PAGE_CACHE_CLEAN, !missing[_i].no_cache);
	ck_assert_int_eq(made_kind(&mm, 3) == PAGE_FREE, !missing[_i].no_free);
	/* A flag that has the bit of PG_hwpoison poisons no page. */
	made_page_set(&mm, 4, &(struct made_fields){ .flags = MADE_PG_SWAPBACKED, .refcount = 1 });
	ck_assert_int_ne(made_kind(&mm, 4), PAGE_POISONED);
	for (uint64_t pfn = 1; pfn < 4; pfn++)
		if (made_kind(&mm, pfn) < PAGE_CACHE_PRIVATE)
			ck_assert_int_ne(made_kind(&mm, pfn), PAGE_UNKNOWN);
	made_map_free(&mm);
}
END_TEST

#define NOT_DESCRIBED "the core does not describe its pages: VMCOREINFO has no valid "

START_TEST(test_no_keys)
{
	static const char *const changes[][2] = {
		{ "SIZE(page)", NOT_DESCRIBED "SIZE(page)" },
		{ "SIZE(page)=8", NOT_DESCRIBED "SIZE(page)" },
		{ "SIZE(page)=257", NOT_DESCRIBED "SIZE(page)" },
		{ "OFFSET(page.flags)=8", NOT_DESCRIBED "OFFSET(page.flags)" },
		{ "OFFSET(page._mapcount)=62", NOT_DESCRIBED "OFFSET(page._mapcount)" },
		{ "OFFSET(page._refcount)", NOT_DESCRIBED "OFFSET(page._refcount)" },
		{ "PAGESIZE", "VMCOREINFO has no page size" },
	};

	for (size_t i = 0; i < LENGTH(changes); i++) {
		struct made_map mm;
		struct error e;

		made_map_init(&mm, made_keys_new, changes[i][0]);
		ck_assert_int_eq(made_map_open(&mm, &e), STATUS_DAMAGED);
		ck_assert_str_eq(e.text, changes[i][1]);
		made_map_free(&mm);
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("page_kind");

	tcase_add_loop_test(tcase, test_kinds, 0, LENGTH(cases));
	tcase_add_test(tcase, test_old_kinds);
	tcase_add_test(tcase, test_hugetlb);
	tcase_add_test(tcase, test_poisoned_hugetlb);
	tcase_add_loop_test(tcase, test_missing, 0, LENGTH(missing));
	tcase_add_test(tcase, test_no_keys);
	return helper_run_case("page_kind", tcase);
}
