// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "core/page_types.h"

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
		page_keys_turn_off(k, test, "a page type in VMCOREINFO has the number of another one");
}

void page_types_find(struct page_keys *k, const struct vmcoreinfo *info)
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
				page_keys_turn_all_off(k, "two page types in VMCOREINFO have the "
							  "same number");
	}
	k->type_mask = highest_byte ? 0xff000000 : 0xffffffff;
	/* Pages without a type have a number of mappings less 1, which is mostly -1. */
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] == (UINT32_MAX & k->type_mask))
			page_keys_turn_all_off(k, "a page type in VMCOREINFO has the value of "
						  "pages without a type");
	if (k->type_buddy == 0xf0000000 || !highest_byte) {
		check_type(k, k->type_offline, highest_byte, PAGE_TEST_FREE);
		check_type(k, k->type_unaccepted, highest_byte, PAGE_TEST_FREE);
		check_type(k, k->type_hugetlb, highest_byte, PAGE_TEST_USER);
	}
	if (highest_byte && k->type_buddy == 0xf0000000) {
		k->type_table = 0xf2000000;
		k->type_kmalloc = 0xf8000000;
	}
}
