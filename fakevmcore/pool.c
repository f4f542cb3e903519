// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "elfhead.h"
#include "pool.h"

/*
 * Size of an allocation, if memory is available in one piece.  The longer the contiguous ranges,
 * the less work a mapping or a read is.
 */
#define ALLOCATION_SIZE SZ_2M

#define HEAD_PAGES DIV_ROUND_UP(ELFHEAD_SIZE, PAGE_SIZE)

/* --- lookup --------------------------------------------------------------- */

u64 pool_file_pages(const struct pool *pool)
{
	return (pool->size + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

/* The index of the pool page with the pattern for this page of the file. */
static unsigned long slot_index(const struct pool *pool, u64 page)
{
	int shift = ilog2(pool->pattern.block_size) - PAGE_SHIFT;
	u64 slot = pattern_slot(&pool->pattern, page >> shift);

	return (slot << shift) + (page & ((1UL << shift) - 1));
}

static struct page *slot_range(const struct pool *pool, u64 page, u64 most,
			       unsigned long *count)
{
	u64 pass = pool->pattern.pool_size >> PAGE_SHIFT;	/* pages in a pass */
	unsigned long n, index = slot_index(pool, page);
	unsigned long pfn = page_to_pfn(pool->pages[index]);

	/* A range ends with the pass, because the next is rotated, and at the end of the pool. */
	most = min3(most, pass - (page & (pass - 1)), (u64)(pool->count - index));
	for (n = 1; n < most; n++) {
		if (page_to_pfn(pool->pages[index + n]) != pfn + n)
			break;
	}
	*count = n;
	return pool->pages[index];
}

struct page *pool_range(const struct pool *pool, u64 page, u64 most, unsigned long *count)
{
	u64 before_tail = pool_file_pages(pool) - 1 - page;

	if (pool->tail && !before_tail) {
		*count = 1;
		return pool->tail;
	}
	if (pool->tail)
		most = min(most, before_tail);
	if (page < HEAD_PAGES) {
		*count = min_t(u64, most, HEAD_PAGES - page);
		return pool->head + page;
	}
	return slot_range(pool, page, most, count);
}

/* --- setup ---------------------------------------------------------------- */

static int pause(void)
{
	cond_resched();
	return signal_pending(current) ? -EINTR : 0;
}

/*
 * Allocates count pages in pieces as large as possible.  If the pool is too large, the allocation
 * fails here instead of invoking the OOM killer.
 */
static int take_pages(struct pool *pool, unsigned long count)
{
	unsigned int order = get_order(ALLOCATION_SIZE);
	unsigned long i;
	struct page *piece;
	gfp_t retry;
	int err = 0;

	while (pool->count < count && !err) {
		order = min_t(unsigned int, order, ilog2(count - pool->count));
		retry = order ? __GFP_NORETRY : __GFP_RETRY_MAYFAIL;
		piece = alloc_pages(GFP_KERNEL | __GFP_NOWARN | retry, order);
		if (piece) {
			/* So that pages can be freed one by one. */
			split_page(piece, order);
			for (i = 0; i < 1UL << order; i++)
				pool->pages[pool->count++] = piece + i;
		} else if (order) {
			order--;
		} else {
			return -ENOMEM;
		}
		err = pause();
	}
	return err;
}

/* Through a buffer, because the pages of a block need not be contiguous. */
static int fill_slots(struct pool *pool, u8 *block)
{
	u32 block_size = pool->pattern.block_size;
	unsigned long slot = 0, page = 0;
	int err = 0;
	u32 at;

	while (page < pool->count && !err) {
		pattern_fill_slot(&pool->pattern, slot++, block);
		for (at = 0; at < block_size; at += PAGE_SIZE)
			memcpy(page_address(pool->pages[page++]), block + at, PAGE_SIZE);
		err = pause();
	}
	return err;
}

static int make_slots(struct pool *pool)
{
	u32 block_size = pool->pattern.block_size;
	u64 bytes = min(pool->pattern.pool_size, round_up(pool->size, (u64)block_size));
	unsigned long count = bytes >> PAGE_SHIFT;
	u8 *block;
	int err;

	if (count > si_mem_available())
		return -ENOMEM;
	/* Not kvmalloc(), whose limit of 2 GiB a pool of 1 TiB would reach. */
	pool->pages = vmalloc(array_size(count, sizeof(*pool->pages)));
	block = kvmalloc(block_size, GFP_KERNEL | __GFP_NOWARN);
	err = pool->pages && block ? take_pages(pool, count) : -ENOMEM;
	if (!err)
		err = fill_slots(pool, block);
	kvfree(block);
	return err;
}

/* Copies the pattern first, because elfhead_build() fills only part of a page larger than 8 KiB. */
static int make_head(struct pool *pool)
{
	unsigned int i;

	pool->head = alloc_pages(GFP_KERNEL | __GFP_NOWARN, get_order(ELFHEAD_SIZE));
	if (!pool->head)
		return -ENOMEM;
	for (i = 0; i < HEAD_PAGES; i++)
		copy_page(page_address(pool->head + i),
			  page_address(pool->pages[slot_index(pool, i)]));
	elfhead_build(pool->size, page_address(pool->head));
	return 0;
}

static int make_tail(struct pool *pool)
{
	u32 used = pool->size & (PAGE_SIZE - 1);
	unsigned long count;
	struct page *last;
	u8 *tail;

	if (!used)
		return 0;
	last = pool_range(pool, pool_file_pages(pool) - 1, 1, &count);
	pool->tail = alloc_page(GFP_KERNEL | __GFP_NOWARN);
	if (!pool->tail)
		return -ENOMEM;
	tail = page_address(pool->tail);
	copy_page(tail, page_address(last));
	memset(tail + used, 0, PAGE_SIZE - used);
	return 0;
}

int pool_make(struct pool *pool, const struct settings *settings)
{
	int err;

	memset(pool, 0, sizeof(*pool));
	pool->pattern = settings->pattern;
	pool->size = settings->size;
	err = make_slots(pool);
	if (!err)
		err = make_head(pool);
	if (!err)
		err = make_tail(pool);
	if (err)
		pool_free(pool);
	return err;
}

void pool_free(struct pool *pool)
{
	if (pool->tail)
		__free_page(pool->tail);
	if (pool->head)
		__free_pages(pool->head, get_order(ELFHEAD_SIZE));
	while (pool->count) {
		__free_page(pool->pages[--pool->count]);
		cond_resched();
	}
	vfree(pool->pages);
}
