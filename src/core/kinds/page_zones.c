// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "core/kinds/page_zones.h"

enum { LISTS_MAX = 64 };

/* The lists of one order. */
struct area {
	uint8_t bytes[LISTS_MAX * 16 + 8];
};

/* A pointer to the member lru of a struct page. */
static bool leads_to_page(const struct page_map *map, uint64_t pointer)
{
	uint64_t within = pointer - map->base - map->keys->lru;

	return pointer >= map->base && within % map->keys->size == 0 &&
	       page_map_has(map, within / map->keys->size);
}

/*
 * Is this a struct free_area at that address?  A list that is empty points to itself twice.  A CPU may
 * have been stopped after it removed a block and before it counted that, both under the zone's lock.
 */
static bool is_area(const struct page_map *map, const struct area *area, uint64_t address,
		    unsigned order, uint64_t *blocks)
{
	const uint32_t lists = map->keys->area_lists;
	bool empty = true;

	for (uint32_t i = 0; i < lists; i++) {
		uint64_t list = address + i * 16;
		uint64_t next = get_le64(area->bytes + i * 16);
		uint64_t previous = get_le64(area->bytes + i * 16 + 8);

		if ((next != list && !leads_to_page(map, next)) ||
		    (previous != list && !leads_to_page(map, previous)))
			return false;
		empty &= next == list && previous == list;
	}
	*blocks = get_le64(area->bytes + lists * 16);
	return empty ? *blocks <= 1 : *blocks <= range_list_end(&map->present) >> order;
}

struct search {
	struct page_zones *zones;
	const struct page_map *map;
	const struct virt *virt;
};

/* Reads and adds a zone whose free_area is at an address; *found: it is one. */
static enum status add_zone(struct search *s, uint64_t address, bool *found, struct error *e)
{
	const struct page_keys *k = s->map->keys;
	uint64_t blocks[PAGE_ORDERS_MAX];
	struct area area;

	*found = false;
	for (unsigned o = 0; o < k->orders; o++, address += k->area_size) {
		enum status status = virt_read(s->virt, address, k->area_size, area.bytes, e);

		if (core_bytes_end(status))
			return status;
		if (status || !is_area(s->map, &area, address, o, &blocks[o]))
			return STATUS_OK;
	}
	for (unsigned o = 0; o < k->orders; o++)
		s->zones->blocks[o] += blocks[o];
	s->zones->count++;
	*found = true;
	return STATUS_OK;
}

/*
 * Tries each list of a free_area as the one that the lowest anchor of a zone is.  *end: anchors below
 * are of this zone.
 */
static enum status find_zone(struct search *s, uint64_t anchor, uint64_t *end, struct error *e)
{
	const uint32_t lists = s->map->keys->area_lists;
	bool found = false;

	*end = anchor + 1;
	for (uint32_t list = 0; list < lists && !found; list++) {
		uint64_t begin = anchor - list * 16;
		enum status status = add_zone(s, begin, &found, e);

		if (status)
			return status;
		if (found)
			*end = begin + lists * 16;
	}
	return STATUS_OK;
}

enum status page_zones_find(struct page_zones *zones, const struct page_map *map,
			    const struct virt *virt, const struct page_evidence *evidence, struct error *e)
{
	struct search s = { .zones = zones, .map = map, .virt = virt };
	uint64_t end = 0;

	*zones = (struct page_zones){ 0 };
	for (size_t i = 0; i < evidence->anchors_count; i++) {
		enum status status;

		if (evidence->anchors[i] < end)
			continue;
		status = find_zone(&s, evidence->anchors[i], &end, e);
		if (status)
			return status;
	}
	return STATUS_OK;
}
