// SPDX-License-Identifier: GPL-2.0-or-later
/* Struct pages with other contents. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "core/kinds/page_kind.h"
#include "page_damage.h"

struct subject {
	struct damage *d;
	const struct page_map *map;
	uint64_t pfn;
	uint8_t *page;			/* its struct page, in d->bytes */
	uint64_t seed;			/* of next_random() */
};

/* NULL: it is not in the core. */
static uint8_t *struct_page(const struct damage *d, uint64_t pfn)
{
	uint64_t paddr, length;
	struct error e;

	if (virt_translate(&d->virt, page_map_address(&d->map, pfn), &paddr, &length, &e))
		return NULL;
	return damage_at(d, paddr, d->keys.size);
}

static uint64_t next_random(struct subject *s)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return s->seed;
}

static void zero(struct subject *s)
{
	memset(s->page, 0, s->map->keys->size);
}

static void ones(struct subject *s)
{
	memset(s->page, 0xff, s->map->keys->size);
}

static void noise(struct subject *s)
{
	for (uint32_t at = 0; at < s->map->keys->size; at += 8)
		put_le64(s->page + at, next_random(s));
}

static void noise_in_flags(struct subject *s)
{
	put_le64(s->page, get_le64(s->page) ^ (next_random(s) & s->map->keys->flags_all));
}

static void noise_in_mapcount(struct subject *s)
{
	put_le32(s->page + s->map->keys->mapcount, (uint32_t)next_random(s));
}

static void noise_in_lru(struct subject *s)
{
	put_le64(s->page + s->map->keys->lru, next_random(s));
}

static void odd_mapping(struct subject *s)
{
	uint8_t *mapping = s->page + s->map->keys->mapping;

	put_le64(mapping, get_le64(mapping) | 1);
}

static void no_flags(struct subject *s)
{
	put_le64(s->page, get_le64(s->page) & ~s->map->keys->flags_all);
}

static void all_lru(struct subject *s)
{
	put_le64(s->page, get_le64(s->page) | s->map->keys->flag_lru);
}

static void all_buddies(struct subject *s)
{
	put_le32(s->page + s->map->keys->mapcount, s->map->keys->type_buddy);
}

static void slabs_free(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (s->d->healthy[s->pfn] != PAGE_SLAB || page_is_tail(k, s->page))
		return;
	put_le64(s->page, get_le64(s->page) & ~(k->flag_slab | k->flag_head));
	put_le32(s->page + k->mapcount, k->type_buddy);
	put_le32(s->page + k->refcount, 0);
	put_le64(s->page + k->private, 0);
}

static void no_slabs(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (s->d->healthy[s->pfn] != PAGE_SLAB)
		return;
	put_le64(s->page, get_le64(s->page) & ~k->flag_slab);
	if (k->type_slab != PAGE_TYPE_NONE)
		put_le32(s->page + k->mapcount, UINT32_MAX);
}

static void order_of_63(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_type(k, s->page) == k->type_buddy)
		put_le64(s->page + k->private, 63);
}

static void largest_order(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_type(k, s->page) == k->type_buddy)
		put_le64(s->page + k->private, k->orders - 1);
}

/* As the second page, each has the order of its head. */
static void large_heads(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (k->order_at && page_is_tail(k, s->page))
		s->page[k->order_at - k->size] = s->pfn & 1 ? 63 : 20;
}

static void tails_to_next(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_is_tail(k, s->page))
		put_le64(s->page + k->compound, page_map_address(s->map, s->pfn + 1) | 1);
}

static void tails_to_each_other(struct subject *s)
{
	put_le64(s->page + s->map->keys->compound, page_map_address(s->map, s->pfn ^ 1) | 1);
}

static void tails_anywhere(struct subject *s)
{
	const struct page_keys *k = s->map->keys;
	uint64_t pfn = next_random(s) % s->d->frames;

	if (page_is_tail(k, s->page))
		put_le64(s->page + k->compound, page_map_address(s->map, pfn) | 1);
}

static void tails_far_before(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_is_tail(k, s->page) && s->pfn > 512)
		put_le64(s->page + k->compound,
			 page_map_address(s->map, s->pfn - 1 - next_random(s) % 512) | 1);
}

static void no_tails(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_is_tail(k, s->page))
		put_le64(s->page + k->compound, get_le64(s->page + k->compound) & ~(uint64_t)1);
}

/* Heads that are also tails: of the head after the next one. */
static void heads_are_tails(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_has_next(k, s->page))
		put_le64(s->page + k->compound, page_map_address(s->map, s->pfn ^ 8) | 1);
}

static void masks_of_63(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_is_tail(k, s->page))
		put_le64(s->page + k->compound, ((uint64_t)1 << 63) | 1);
}

static void masks_of_any_order(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_is_tail(k, s->page))
		put_le64(s->page + k->compound, -((uint64_t)k->size << next_random(s) % 32) | 1);
}

static const struct {
	const char *name;
	void (*damage)(struct subject *s);
} damages[] = {
	{ "zeros", zero }, { "ones", ones }, { "random bytes", noise }, { "random flags", noise_in_flags },
	{ "no flags", no_flags }, { "random mapcount", noise_in_mapcount }, { "random lists", noise_in_lru },
	{ "odd mapping", odd_mapping }, { "all on LRU lists", all_lru }, { "all marked as free", all_buddies },
	{ "slabs marked as free", slabs_free }, { "slabs not marked", no_slabs },
	{ "free blocks of order 63", order_of_63 }, { "free blocks of the largest order", largest_order },
	{ "heads of order 63 and 20", large_heads }, { "tails lead to the next page", tails_to_next },
	{ "pages are tails of each other", tails_to_each_other }, { "tails lead anywhere", tails_anywhere },
	{ "tails lead to some page before", tails_far_before }, { "tails not marked", no_tails },
	{ "heads are tails", heads_are_tails }, { "tails have the mask of order 63", masks_of_63 },
	{ "tails have masks of any order", masks_of_any_order },
};

enum { DAMAGES = sizeof(damages) / sizeof(damages[0]) };

/* Every struct page of those in the core whose number divided by 64 is a multiple of every. */
static void break_pages(struct damage *d, size_t which, unsigned every)
{
	struct subject s = { .d = d, .map = &d->map, .seed = 88172645463325252 + which };
	char name[128];

	for (size_t i = 0; i < d->pages.ram.count; i++)
		for (uint64_t at = 0; at < d->pages.ram.ranges[i].length; at++) {
			s.pfn = d->pages.ram.ranges[i].offset + at;
			if (s.pfn / 64 % every || !page_map_has(&d->map, s.pfn))
				continue;
			s.page = struct_page(d, s.pfn);
			if (s.page)
				damages[which].damage(&s);
		}
	if (every == 1)
		snprintf(name, sizeof(name), "struct pages: %s", damages[which].name);
	else
		snprintf(name, sizeof(name), "struct pages, 64 in %u: %s", 64 * every, damages[which].name);
	damage_case(d, name, &d->info);
	damage_restore(d);
}

void damage_pages(struct damage *d)
{
	for (size_t which = 0; which < DAMAGES; which++)
		for (unsigned every = 1; every <= 64; every *= 8)
			break_pages(d, which, every);
}
