// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What VMCOREINFO says about struct page, of which the crashed kernel has one for each page frame:
 * sizes, offsets, flags, and page types (doc/pages.md).
 *
 * Which form something has is decided by the keys that exist, never by the kernel's version: a
 * distribution's kernel has changes of later versions.
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_KEYS_H
#define NSPLIT_CORE_KINDS_PAGE_KEYS_H

#include "core/elf.h"

enum { STRUCT_PAGE_MIN = 32, STRUCT_PAGE_MAX = 256, PAGE_ORDERS_MAX = 24 };

/* Tests that are possible if VMCOREINFO has their keys. */
enum page_test {
	PAGE_TEST_TAIL,			/* whether it belongs to the page before it */
	PAGE_TEST_SLAB,
	PAGE_TEST_FREE,
	PAGE_TEST_CACHE,
	PAGE_TEST_USER,
	PAGE_TEST_OFFLINE,
	PAGE_TEST_POISONED,
	PAGE_TESTS
};

/* Constant after page_keys_find(), for any number of threads. */
struct page_keys {
	uint32_t page_size, page_shift;
	uint32_t size;			/* of a struct page */
	/*
	 * Offsets of fields in it: mapcount and refcount have 4 bytes, the others 8.  0: not known;
	 * the flags are there.
	 */
	uint32_t refcount, mapping, mapcount, private, lru, compound;
	/*
	 * Flags as masks; 0: not known.  head: the page is the first of several; private: its file
	 * system holds data for it.
	 */
	uint64_t flag_lru, flag_dirty, flag_private, flag_reserved, flag_slab, flag_head;
	uint64_t flag_swapcache, flag_swapbacked, flag_poisoned;
	uint64_t flags_all;		/* every bit up to the highest known flag; a zone or node is above */
	/*
	 * Page types: values of mapcount & type_mask.  PAGE_TYPE_NONE, which no page has: not known.
	 * The type is in the highest byte if type_mask says so; the rest is its owner's.
	 */
	uint32_t type_mask, type_buddy, type_slab, type_hugetlb, type_offline, type_unaccepted;
	uint32_t type_table, type_kmalloc;
	unsigned orders;		/* a free block has 2^0 to 2^(orders - 1) pages */
	/*
	 * struct free_area: its size, and the number of lists with which it begins; the number of
	 * blocks in them follows.  0: not known.
	 */
	uint32_t area_size, area_lists;
	/*
	 * Of a page with flag_head, offsets in its struct page and the next one: of the byte with
	 * the order; of the byte that is dtor if it belongs to hugetlb; of 8 bytes in which the
	 * bits flag_hugetlb say so.  0: not known.
	 */
	uint32_t order_at, dtor_at, hugetlb_at;
	uint8_t dtor;
	uint64_t flag_hugetlb;
	/* Why a test is not made, as one sentence; empty: it is made. */
	char off[PAGE_TESTS][96];
};

enum { PAGE_TYPE_NONE = 0x7fffffff };

/* STATUS_DAMAGED: VMCOREINFO has not even the keys that every test needs; the error says which. */
enum status page_keys_find(struct page_keys *keys, const struct vmcoreinfo *info, struct error *e);

static inline bool page_test_made(const struct page_keys *keys, enum page_test test)
{
	return !keys->off[test][0];
}

#endif
