// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/search.h"
#include "core/page_sections.h"

/*
 * Budgets, since the page tables of a broken core may lead anywhere.  Translations: one for each
 * page of 16 KiB with struct pages of 2 TiB.
 */
enum { OWN_MAX = 1 << 16, TRANSLATIONS_MAX = 1 << 20, TRANSLATIONS_A_SECTION = 64 };

bool pfn_ranges_add(struct pfn_range **ranges, size_t *count, uint64_t first, uint64_t frames)
{
	struct pfn_range *last = *count ? &(*ranges)[*count - 1] : NULL;

	if (last && last->first + last->count == first) {
		last->count += frames;
		return true;
	}
	if (!array_grow(ranges, *count, sizeof(**ranges)))
		return false;
	(*ranges)[(*count)++] = (struct pfn_range){ first, frames };
	return true;
}

static int by_first(const void *a, const void *b)
{
	const struct pfn_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Pages of the map that belong to several sections, or are mapped again and again, stay one. */
static void merge_own(struct page_map *map)
{
	size_t kept = 0;

	qsort(map->own, map->own_count, sizeof(*map->own), by_first);
	for (size_t i = 0; i < map->own_count; i++) {
		struct pfn_range *last = kept ? &map->own[kept - 1] : NULL;
		const struct pfn_range *r = &map->own[i];

		if (last && r->first <= last->first + last->count)
			last->count = max_u64(last->count, r->first + r->count - last->first);
		else
			map->own[kept++] = *r;
	}
	map->own_count = kept;
}

static enum status find_own(struct page_map *map, const struct virt *virt, uint64_t sections,
			    struct error *e)
{
	const struct page_keys *k = map->keys;
	uint64_t budget = min_u64(4096 + sections * TRANSLATIONS_A_SECTION, TRANSLATIONS_MAX);

	for (size_t i = 0; i < map->present_count; i++) {
		uint64_t at = page_map_address(map, map->present[i].first);
		uint64_t left = map->present[i].count * k->size;

		while (left && budget && map->own_count < OWN_MAX) {
			uint64_t paddr, length;
			enum status status = virt_translate(virt, at, &paddr, &length, e);

			if (core_bytes_end(status))
				return status;
			if (status)
				length = k->page_size - at % k->page_size;
			length = min_u64(length, left);
			if (!status && !pfn_ranges_add(&map->own, &map->own_count,
						       paddr >> k->page_shift,
						       divide_up(length, k->page_size)))
				return error_system(e, ENOMEM, "list of the pages of the memory map");
			at += length;
			left -= length;
			budget--;
		}
	}
	if (map->own_count)
		merge_own(map);
	return STATUS_OK;
}

/* kexec writes a segment for the image, at its address in the kernel. */
static void find_image(struct page_map *map, const struct virt *virt)
{
	const struct segment_index *x = &virt->core->virtual;
	const struct segment *s;
	unsigned shift = map->keys->page_shift;
	uint64_t stext;
	size_t at;

	if (!vmcoreinfo_get(virt->info, "SYMBOL", "_stext", &stext) ||
	    !segment_index_last(x, segment_index_up_to(x, stext), stext, &at))
		return;
	s = x->ranges[at].segment;
	map->image.first = s->paddr >> shift;
	map->image.count = ((s->paddr + s->filesz - 1) >> shift) + 1 - map->image.first;
}

enum status page_map_open(struct page_map *map, const struct virt *virt,
			  const struct page_keys *keys, struct error *e)
{
	uint64_t sections;
	enum status status;

	*map = (struct page_map){ .keys = keys };
	status = page_sections_find(map, virt, &sections, e);
	if (!status)
		status = find_own(map, virt, sections, e);
	if (!status)
		find_image(map, virt);
	return status;
}

void page_map_close(struct page_map *map)
{
	free(map->present);
	free(map->own);
	*map = (struct page_map){ 0 };
}

struct sought {
	const struct pfn_range *ranges;
	uint64_t pfn;
};

static bool ends_before(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->ranges[i].first + s->ranges[i].count <= s->pfn;
}

size_t pfn_ranges_from(const struct pfn_range *ranges, size_t count, uint64_t pfn)
{
	const struct sought sought = { .ranges = ranges, .pfn = pfn };

	return search_first(count, ends_before, &sought);
}

bool page_map_has(const struct page_map *map, uint64_t pfn)
{
	size_t i = pfn_ranges_from(map->present, map->present_count, pfn);

	return i < map->present_count && map->present[i].first <= pfn;
}
