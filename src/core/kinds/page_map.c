// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>

#include "base/bytes.h"
#include "core/kinds/page_image.h"
#include "core/kinds/page_sections.h"

/*
 * Budgets, since the page tables of a broken core may lead anywhere.  Translations: one for each
 * page of 16 KiB with struct pages of 2 TiB.
 */
enum { OWN_MAX = 1 << 16, TRANSLATIONS_MAX = 1 << 20, TRANSLATIONS_A_SECTION = 64 };

static enum status find_own(struct page_map *map, const struct virt *virt, uint64_t sections,
			    struct error *e)
{
	const struct page_keys *k = map->keys;
	uint64_t budget = min_u64(4096 + sections * TRANSLATIONS_A_SECTION, TRANSLATIONS_MAX);

	for (size_t i = 0; i < map->present.count; i++) {
		uint64_t at = page_map_address(map, map->present.ranges[i].offset);
		uint64_t left = map->present.ranges[i].length * k->size;

		while (left && budget && map->own.count < OWN_MAX) {
			uint64_t paddr, length;
			enum status status = virt_translate(virt, at, &paddr, &length, e);

			if (core_bytes_end(status))
				return status;
			if (status)
				length = k->page_size - at % k->page_size;
			length = min_u64(length, left);
			if (!status && !range_list_extend(&map->own, paddr >> k->page_shift,
							  divide_up(length, k->page_size)))
				return error_system(e, ENOMEM, "list of the pages of the memory map");
			at += length;
			left -= length;
			budget--;
		}
	}
	/* Pages of the map that belong to several sections, or are mapped again and again, stay one. */
	range_list_sort(&map->own);
	range_list_merge(&map->own);
	return STATUS_OK;
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
	return status ? status : page_image_find(map, virt, e);
}

void page_map_close(struct page_map *map)
{
	range_list_free(&map->present);
	range_list_free(&map->own);
	*map = (struct page_map){ 0 };
}

bool page_map_has(const struct page_map *map, uint64_t pfn)
{
	size_t i = ranges_find(map->present.ranges, map->present.count, pfn);

	return i < map->present.count && map->present.ranges[i].offset <= pfn;
}
