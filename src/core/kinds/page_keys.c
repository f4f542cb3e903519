// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "core/kinds/page_keys.h"

/* Kernels have 24 to 28 flags; the bits from 32 on are used otherwise on every 64-bit machine. */
enum { FLAGS_MAX = 32 };

/* A test is not made, for this reason, unless there is one already. */
static void turn_off(struct page_keys *k, enum page_test test, const char *why)
{
	if (page_test_made(k, test))
		snprintf(k->off[test], sizeof(k->off[test]), "%s", why);
}

static void turn_off_for_key(struct page_keys *k, enum page_test test, const char *kind,
			     const char *name)
{
	char why[sizeof(k->off[0])];

	snprintf(why, sizeof(why), "VMCOREINFO has no valid %s(%s)", kind, name);
	turn_off(k, test, why);
}

static void turn_all_off(struct page_keys *k, const char *why)
{
	for (enum page_test test = 0; test < PAGE_TESTS; test++)
		turn_off(k, test, why);
}

/* A field of a struct page, of words of 4 or 8 bytes; 0, where the flags are, if there is none. */
static bool find_field(const struct page_keys *k, const struct vmcoreinfo *info, const char *name,
		       uint32_t width, uint32_t *offset)
{
	uint64_t value;

	*offset = 0;
	if (!vmcoreinfo_get(info, "OFFSET", name, &value) || !value || value % min_u64(width, 8) ||
	    value > k->size - width)
		return false;
	*offset = (uint32_t)value;
	return true;
}

/* --- flags --------------------------------------------------------------------- */

/* All bits up to the highest of these. */
static uint64_t up_to_highest(uint64_t flags)
{
	return flags ? UINT64_MAX >> __builtin_clzll(flags) : 0;
}

static uint64_t find_flag(const struct vmcoreinfo *info, const char *name)
{
	uint64_t bit;

	return vmcoreinfo_get(info, "NUMBER", name, &bit) && bit < FLAGS_MAX ? (uint64_t)1 << bit : 0;
}

static void find_flags(struct page_keys *k, const struct vmcoreinfo *info)
{
	uint64_t head;

	k->flag_lru = find_flag(info, "PG_lru");
	k->flag_private = find_flag(info, "PG_private");
	k->flag_swapcache = find_flag(info, "PG_swapcache");
	k->flag_swapbacked = find_flag(info, "PG_swapbacked");
	k->flag_poisoned = find_flag(info, "PG_hwpoison");
	/* In every kernel from 3.10 to 7.3 (include/linux/page-flags.h), but not exported. */
	k->flag_dirty = k->flag_lru >> 1;
	k->flag_reserved = k->flag_private >> 1;
	if (vmcoreinfo_get(info, "NUMBER", "PG_head_mask", &head) && head >> FLAGS_MAX == 0 &&
	    is_power_of_two(head))
		k->flag_head = head;
	k->flags_all = up_to_highest(k->flag_lru | k->flag_private | k->flag_swapcache |
				     k->flag_swapbacked | k->flag_poisoned | k->flag_head);
}

/*
 * PG_swapcache may have the bit of another flag, but not of those that are tested.  Nor has a poisoned page: those of the
 * other flag, perhaps most of the kernel's, would come last.
 */
static bool flags_are_distinct(struct page_keys *k)
{
	const uint64_t flags[] = {
		k->flag_lru, k->flag_dirty, k->flag_private, k->flag_reserved, k->flag_slab,
		k->flag_head, k->flag_swapcache, k->flag_swapbacked,
	};
	uint64_t seen = 0, poisoned = k->flag_poisoned;
	bool distinct = true;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		distinct &= !(seen & flags[i]);
		seen |= flags[i];
	}
	k->flag_poisoned &= ~seen;
	return distinct && k->flag_poisoned == poisoned;
}

/* --- pages of more than one frame ---------------------------------------------------- */

static uint32_t find_in_second(const struct page_keys *k, const struct vmcoreinfo *info,
			       const char *page_name, const char *folio_name)
{
	uint64_t at;

	if (vmcoreinfo_get(info, "OFFSET", page_name, &at) && at < k->size)
		return k->size + (uint32_t)at;
	if (vmcoreinfo_get(info, "OFFSET", folio_name, &at) && at >= k->size && at / 2 < k->size)
		return (uint32_t)at;
	return 0;
}

/*
 * Before 6.3, order and dtor are in the second struct page; until 6.5, they are counted from the
 * first as fields of a folio; since then, the order is the lowest byte of the second's flags.
 */
static void find_compound(struct page_keys *k, const struct vmcoreinfo *info)
{
	uint64_t dtor, flag = find_flag(info, "PG_hugetlb");

	k->order_at = find_in_second(k, info, "page.compound_order", "folio._folio_order");
	if (!k->order_at && (flag || k->type_hugetlb != PAGE_TYPE_NONE))
		k->order_at = k->size;
	if (flag && k->type_hugetlb == PAGE_TYPE_NONE) {
		k->hugetlb_at = k->size;
		k->flag_hugetlb = flag;
	}
	/* Of other pages it is 0 or 1 (enum compound_dtor_id in include/linux/mm.h). */
	if (vmcoreinfo_get(info, "NUMBER", "HUGETLB_PAGE_DTOR", &dtor) && dtor > 1 && dtor < 256) {
		k->dtor_at = find_in_second(k, info, "page.compound_dtor", "folio._folio_dtor");
		k->dtor = (uint8_t)dtor;
	}
}

/* --- tests ----------------------------------------------------------------------- */

static void find_tail(struct page_keys *k, const struct vmcoreinfo *info)
{
	if (!find_field(k, info, "page.compound_head", 8, &k->compound) &&
	    !find_field(k, info, "page.compound_info", 8, &k->compound))
		turn_off_for_key(k, PAGE_TEST_TAIL, "OFFSET", "page.compound_head");
	if (!k->flag_head)
		turn_off_for_key(k, PAGE_TEST_TAIL, "NUMBER", "PG_head_mask");
}

/* The type is exported since slab pages have one.  PG_slab is another flag then. */
static void find_slab(struct page_keys *k, const struct vmcoreinfo *info)
{
	if (k->type_slab == PAGE_TYPE_NONE)
		k->flag_slab = find_flag(info, "PG_slab");
	if (k->type_slab == PAGE_TYPE_NONE && !k->flag_slab)
		turn_off_for_key(k, PAGE_TEST_SLAB, "NUMBER", "PAGE_SLAB_MAPCOUNT_VALUE");
}

static void find_free(struct page_keys *k, const struct vmcoreinfo *info)
{
	uint64_t orders;

	if (k->type_buddy == PAGE_TYPE_NONE)
		turn_off_for_key(k, PAGE_TEST_FREE, "NUMBER", "PAGE_BUDDY_MAPCOUNT_VALUE");
	if (!find_field(k, info, "page.private", 8, &k->private))
		turn_off_for_key(k, PAGE_TEST_FREE, "OFFSET", "page.private");
	if (!vmcoreinfo_get(info, "LENGTH", "zone.free_area", &orders) || !orders ||
	    orders > PAGE_ORDERS_MAX)
		turn_off_for_key(k, PAGE_TEST_FREE, "LENGTH", "zone.free_area");
	else
		k->orders = (unsigned)orders;
}

/* Since migratetypes exist, in 2.6.24 (include/linux/mmzone.h). */
static void find_area(struct page_keys *k, const struct vmcoreinfo *info)
{
	uint64_t size, lists;

	if (!vmcoreinfo_get(info, "SIZE", "free_area", &size) ||
	    !vmcoreinfo_get(info, "LENGTH", "free_area.free_list", &lists) || !lists || lists > 64 ||
	    size != lists * 16 + 8)
		return;
	k->area_size = (uint32_t)size;
	k->area_lists = (uint32_t)lists;
}

static void need_flag(struct page_keys *k, enum page_test test, uint64_t flag, const char *name)
{
	if (!flag)
		turn_off_for_key(k, test, "NUMBER", name);
}

/* Pages of the cache are told from user pages by mapping, and the other way around. */
static void find_cache_and_user(struct page_keys *k, const struct vmcoreinfo *info)
{
	bool mapping = find_field(k, info, "page.mapping", 8, &k->mapping);

	for (enum page_test test = PAGE_TEST_CACHE; test <= PAGE_TEST_USER; test++) {
		if (!mapping)
			turn_off_for_key(k, test, "OFFSET", "page.mapping");
		need_flag(k, test, k->flag_private, "PG_private");
	}
	need_flag(k, PAGE_TEST_CACHE, k->flag_lru, "PG_lru");
	need_flag(k, PAGE_TEST_CACHE, k->flag_swapcache, "PG_swapcache");
	need_flag(k, PAGE_TEST_CACHE, k->flag_swapbacked, "PG_swapbacked");
}

/* A test that relies on another one. */
static void depend(struct page_keys *k, enum page_test test, enum page_test on)
{
	if (!page_test_made(k, on))
		turn_off(k, test, k->off[on]);
}

/* Fields are apart, but for lru, whose first word is also compound. */
static bool fields_are_distinct(const struct page_keys *k)
{
	const struct { uint32_t at, width; } fields[] = {
		{ 0, 8 }, { k->refcount, 4 }, { k->mapcount, 4 }, { k->mapping, 8 },
		{ k->private, 8 }, { k->compound, 8 },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		for (size_t j = 0; j < i; j++)
			/* 0 is not known, and flags are at 0. */
			if (fields[i].at && fields[j].at < fields[i].at + fields[i].width &&
			    fields[i].at < fields[j].at + fields[j].width)
				return false;
	return true;
}

static enum status no_key(const char *key, struct error *e)
{
	return error_set(e, STATUS_DAMAGED, "the core does not describe its pages: VMCOREINFO has "
			 "no valid %s", key);
}

static enum status find_sizes(struct page_keys *k, const struct vmcoreinfo *info, struct error *e)
{
	uint64_t size, flags;
	enum status status = vmcoreinfo_page_size(info, &k->page_size, e);

	if (status)
		return status;
	k->page_shift = (uint32_t)__builtin_ctz(k->page_size);
	if (!vmcoreinfo_get(info, "SIZE", "page", &size) || size < STRUCT_PAGE_MIN ||
	    size > STRUCT_PAGE_MAX || size % 8)
		return no_key("SIZE(page)", e);
	k->size = (uint32_t)size;
	if (!vmcoreinfo_get(info, "OFFSET", "page.flags", &flags) || flags)
		return no_key("OFFSET(page.flags)", e);
	if (!find_field(k, info, "page._mapcount", 4, &k->mapcount))
		return no_key("OFFSET(page._mapcount)", e);
	if (!find_field(k, info, "page._refcount", 4, &k->refcount))
		return no_key("OFFSET(page._refcount)", e);
	find_field(k, info, "page.lru", 16, &k->lru);
	return STATUS_OK;
}

/* --- page types ----------------------------------------------------------------- */

static uint32_t find_type(const struct vmcoreinfo *info, const char *name)
{
	uint64_t value;

	/* Printed as a negative number of 32 or 64 bits. */
	if (!vmcoreinfo_get(info, "NUMBER", name, &value) || (int32_t)value >= -1)
		return PAGE_TYPE_NONE;
	return (uint32_t)value;
}

/*
 * Types that are not exported, and their numbers since 6.12 and before (include/linux/page-flags.h):
 * page tables, guards, zsmalloc, large allocations.
 */
static bool is_other_type(uint32_t type, bool highest_byte)
{
	const uint32_t new[] = { 0xf2000000, 0xf3000000, 0xf6000000, 0xf8000000 };
	const uint32_t old[] = { ~0x200U, ~0x400U };

	for (size_t i = 0; i < sizeof(new) / sizeof(new[0]) && highest_byte; i++)
		if (type == new[i])
			return true;
	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]) && !highest_byte; i++)
		if (type == old[i])
			return true;
	return false;
}

/* A type whose pages no other check protects. */
static void check_type(struct page_keys *k, uint32_t type, bool highest_byte, enum page_test test)
{
	if (is_other_type(type, highest_byte))
		turn_off(k, test, "a page type in VMCOREINFO has the number of another one");
}

/*
 * Since 6.12 the highest byte is the type, and its owner may use the rest.  Types that are not
 * exported have had the same numbers since then; two of them give kernel pages a name.  Tests
 * that types of doubtful numbers would mislead are turned off.
 */
static void find_types(struct page_keys *k, const struct vmcoreinfo *info)
{
	const uint32_t all[] = {
		k->type_buddy = find_type(info, "PAGE_BUDDY_MAPCOUNT_VALUE"),
		k->type_slab = find_type(info, "PAGE_SLAB_MAPCOUNT_VALUE"),
		k->type_hugetlb = find_type(info, "PAGE_HUGETLB_MAPCOUNT_VALUE"),
		k->type_offline = find_type(info, "PAGE_OFFLINE_MAPCOUNT_VALUE"),
		k->type_unaccepted = find_type(info, "PAGE_UNACCEPTED_MAPCOUNT_VALUE"),
	};
	bool highest_byte = k->type_buddy != PAGE_TYPE_NONE;

	k->type_table = k->type_kmalloc = PAGE_TYPE_NONE;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i] != PAGE_TYPE_NONE && all[i] & 0xffffff)
			highest_byte = false;
		for (size_t j = 0; j < i; j++)
			if (all[i] == all[j] && all[i] != PAGE_TYPE_NONE)
				turn_all_off(k, "two page types in VMCOREINFO have the "
							  "same number");
	}
	k->type_mask = highest_byte ? 0xff000000 : 0xffffffff;
	/* Pages without a type have a number of mappings less 1, which is mostly -1. */
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] == (UINT32_MAX & k->type_mask))
			turn_all_off(k, "a page type in VMCOREINFO has the value of "
						  "pages without a type");
	if (k->type_buddy == 0xf0000000 || !highest_byte) {
		check_type(k, k->type_offline, highest_byte, PAGE_TEST_OFFLINE);
		check_type(k, k->type_unaccepted, highest_byte, PAGE_TEST_FREE);
		check_type(k, k->type_hugetlb, highest_byte, PAGE_TEST_USER);
	}
	if (highest_byte && k->type_buddy == 0xf0000000) {
		k->type_table = 0xf2000000;
		k->type_kmalloc = 0xf8000000;
	}
}

/* -------------------------------------------------------------------------------- */

enum status page_keys_find(struct page_keys *k, const struct vmcoreinfo *info, struct error *e)
{
	enum status status;

	*k = (struct page_keys){ 0 };
	status = find_sizes(k, info, e);
	if (status)
		return status;
	find_flags(k, info);
	find_types(k, info);
	find_compound(k, info);
	find_tail(k, info);
	find_slab(k, info);
	find_free(k, info);
	find_area(k, info);
	find_cache_and_user(k, info);
	if (!flags_are_distinct(k))
		turn_all_off(k, "two flags in VMCOREINFO have the same bit");
	if (!fields_are_distinct(k))
		turn_all_off(k, "two fields of struct page in VMCOREINFO overlap");
	depend(k, PAGE_TEST_FREE, PAGE_TEST_SLAB);
	depend(k, PAGE_TEST_CACHE, PAGE_TEST_SLAB);
	depend(k, PAGE_TEST_CACHE, PAGE_TEST_TAIL);
	depend(k, PAGE_TEST_USER, PAGE_TEST_SLAB);
	depend(k, PAGE_TEST_USER, PAGE_TEST_TAIL);
	return STATUS_OK;
}
