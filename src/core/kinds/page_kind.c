// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "core/kinds/page_kind.h"

/* --- tails --------------------------------------------------------------------------- */

/*
 * A tail has, beside bit 0, the address of its head's struct page.  Since 7.1 it may have a mask
 * instead, which makes the head's address of its own: -(2^order * size of a struct page).  No
 * pointer looks like a mask of these orders: that would be an address within the last
 * 2^PAGE_ORDERS_MAX struct pages of the address space.
 */
static bool is_mask(const struct page_keys *k, uint64_t value)
{
	uint64_t unit = -value;

	return is_power_of_two(k->size) && is_power_of_two(unit) && unit > k->size &&
	       unit >> PAGE_ORDERS_MAX < k->size;
}

/*
 * A page of several frames begins at a multiple of its size, so a frame has only one possible head
 * for each order.  This bounds what a broken map can make a reader do.
 */
bool page_head(const struct page_keys *k, const uint8_t *tail, uint64_t pfn, uint64_t address,
	       uint64_t *head, uint64_t *reach)
{
	uint64_t value = get_le64(tail + k->compound) & ~(uint64_t)1;
	bool mask = is_mask(k, value);
	uint64_t first = mask ? address & value : value;
	uint64_t distance = (address - first) / k->size;

	if (first >= address || (address - first) % k->size || distance > pfn ||
	    distance >> PAGE_ORDERS_MAX)
		return false;
	*head = pfn - distance;
	*reach = mask ? -value / k->size : (uint64_t)1 << PAGE_ORDERS_MAX;
	/* All bits of the distance are below the lowest one of the head. */
	if (*head)
		*reach = min_u64(*reach, *head & -*head);
	return distance < *reach;
}

/* --- heads --------------------------------------------------------------------------- */

static bool is_slab(const struct page_keys *k, uint64_t flags, uint32_t type)
{
	return type == k->type_slab || flags & k->flag_slab;
}

bool page_finds_block(const struct page_keys *k, const uint8_t *page, uint64_t pfn,
		      unsigned *order, enum page_kind *kind)
{
	uint64_t flags = page_flags(page), private;
	uint32_t type = page_type(k, page);

	if (!page_test_made(k, PAGE_TEST_FREE) || !page_is_initialised(page) ||
	    flags & (k->flag_poisoned | k->flag_reserved | k->flag_slab) ||
	    get_le32(page + k->refcount) || page_is_tail(k, page))
		return false;
	private = type == k->type_buddy ? get_le64(page + k->private) : k->orders - 1;
	if (private >= k->orders || pfn & (((uint64_t)1 << private) - 1))
		return false;
	*order = (unsigned)private;
	*kind = type == k->type_buddy ? PAGE_FREE : PAGE_UNACCEPTED;
	return true;
}

/* Kernel addresses have a first byte of 0xff, or bit 55 if the first byte may hold a tag. */
static bool is_kernel_address(uint64_t value)
{
	return value >> 56 == 0xff || value >> 55 & 1;
}

/*
 * The list of a CPU cannot be told with certainty: a page in use by the kernel may look the same since
 * 6.14, which has such pages with a reference count of 0.  Before, these are frames of allocations of
 * several pages (without __GFP_COMP); most of them have a list that leads to itself.
 */
static bool is_cpu_free(const struct page_keys *k, const uint8_t *page, uint64_t flags)
{
	uint64_t next = get_le64(page + k->lru), previous = get_le64(page + k->lru + 8);

	return k->lru && !(flags & k->flags_all) && get_le32(page + k->mapcount) == UINT32_MAX &&
	       !get_le64(page + k->mapping) && next != previous && !(next & 7) && !(previous & 7) &&
	       next >> 56 == 0xff && previous >> 56 == 0xff;
}

static enum page_kind cache_kind(const struct page_keys *k, uint64_t flags)
{
	if (flags & k->flag_private)
		return PAGE_CACHE_PRIVATE;
	return flags & k->flag_dirty ? PAGE_CACHE_DIRTY : PAGE_CACHE_CLEAN;
}

/*
 * Pages in the swap cache may have no mapping.  One that is no address of the kernel shows that mappings are
 * looked for in the wrong place, and is sampled for that (page_trust.c), so the page counts here.
 */
static bool is_cache(const struct page_keys *k, uint64_t flags, uint64_t mapping)
{
	const uint64_t swap = k->flag_swapbacked | k->flag_swapcache;

	return !(mapping & 3) &&
	       ((flags & k->flag_lru && is_kernel_address(mapping)) || (flags & swap) == swap);
}

/*
 * mapping: bit 0 is set for anonymous memory.  Both of the lower bits: merged by KSM.  Only bit 1: the
 * kernel's own pages that it can move, such as those of zsmalloc.
 */
static enum page_kind kind_by_use(const struct page_keys *k, const uint8_t *page, uint64_t flags)
{
	uint64_t mapping = get_le64(page + k->mapping);

	if (!get_le32(page + k->refcount))
		return is_cpu_free(k, page, flags) ? PAGE_CPU_FREE : PAGE_OTHER;
	if (mapping & 1)
		return page_test_made(k, PAGE_TEST_USER) && is_kernel_address(mapping) ? PAGE_ANONYMOUS
										 : PAGE_OTHER;
	return page_test_made(k, PAGE_TEST_CACHE) && is_cache(k, flags, mapping) ? cache_kind(k, flags)
									: PAGE_OTHER;
}

static bool is_hugetlb(const struct page_keys *k, const uint8_t *next)
{
	return (k->dtor_at && next[k->dtor_at - k->size] == k->dtor) ||
	       (k->hugetlb_at && get_le64(next + k->hugetlb_at - k->size) & k->flag_hugetlb);
}

/*
 * The smallest page of hugetlb has 16 frames (of 4 KiB, on arm64), so pages of slabs, say, are not
 * taken for one if the type is not what it is believed to be.
 */
static enum page_kind hugetlb_kind(const struct page_keys *k, const uint8_t *page,
				   const uint8_t *next, enum page_kind otherwise)
{
	enum { ORDER_LEAST = 4 };

	return page_test_made(k, PAGE_TEST_USER) && page_has_next(k, page) && next && k->order_at &&
			       next[k->order_at - k->size] >= ORDER_LEAST ? PAGE_HUGETLB : otherwise;
}

/*
 * The number of references is not asked of pages of hugetlb: those in its pool have none.  All
 * types are below -128 as signed numbers; above, these are mapcounts.
 */
static enum page_kind kind_by_type(const struct page_keys *k, const uint8_t *page,
				   const uint8_t *next, uint32_t mapcount)
{
	uint32_t type = mapcount & k->type_mask;

	if (type == k->type_hugetlb)
		return hugetlb_kind(k, page, next, PAGE_TYPED);
	/* Its driver has the only reference, or it was never given to the page allocator. */
	if (type == k->type_offline)
		return get_le32(page + k->refcount) <= 1 ? PAGE_OFFLINE : PAGE_TYPED;
	if (type == k->type_table)
		return PAGE_TABLE;
	if (type == k->type_kmalloc)
		return PAGE_KMALLOC;
	/* A page that begins no block, or one of a type that is not known here. */
	return mapcount >> 24 == 0xff && k->type_mask != UINT32_MAX ? PAGE_OTHER : PAGE_TYPED;
}

enum page_kind page_kind_of(const struct page_keys *k, const uint8_t *page, const uint8_t *next)
{
	uint64_t flags = page_flags(page);
	uint32_t mapcount = get_le32(page + k->mapcount), type = mapcount & k->type_mask;

	if (!page_is_initialised(page))
		return PAGE_OTHER;
	if (page_is_reserved(k, page))
		return PAGE_RESERVED;
	if (is_slab(k, flags, type))
		return PAGE_SLAB;
	if ((int32_t)mapcount < -128)
		return kind_by_type(k, page, next, mapcount);
	if (!page_test_made(k, PAGE_TEST_USER) && !page_test_made(k, PAGE_TEST_CACHE))
		return PAGE_OTHER;
	if (flags & k->flag_head && (k->dtor_at || k->hugetlb_at)) {
		if (!next)
			return PAGE_OTHER;
		if (is_hugetlb(k, next))
			return hugetlb_kind(k, page, next, PAGE_OTHER);
	}
	return kind_by_use(k, page, flags);
}

/* The number of frames, or the highest possible one if it is not known. */
static uint64_t frames_of(const struct page_keys *k, const uint8_t *next)
{
	uint8_t order = k->order_at ? next[k->order_at - k->size] : PAGE_ORDERS_MAX;

	return order <= PAGE_ORDERS_MAX ? (uint64_t)1 << order : 0;
}

/* Free and offline pages are marked one by one or by blocks, and are no tails. */
enum page_kind page_kind_of_tails(const struct page_keys *k, const uint8_t *head,
				  const uint8_t *next, uint64_t *frames)
{
	enum page_kind kind;

	*frames = 0;
	if (!page_has_next(k, head) || page_is_tail(k, head) || !next)
		return PAGE_OTHER;
	*frames = frames_of(k, next);
	kind = page_kind_of(k, head, next);
	return kind < PAGE_CPU_FREE ? kind : PAGE_OTHER;
}
