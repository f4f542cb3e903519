// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads struct pages, for one thread. */
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "core/kinds/page_map.h"

void page_cursor_init(struct page_cursor *c, const struct page_map *map, const struct virt *virt)
{
	c->map = map;
	c->virt = virt;
	c->extent = (struct virt_linear){ 0 };
	c->count = 0;
	c->partial = false;
	c->status = STATUS_OK;
}

static enum status translate(struct page_cursor *c, uint64_t address, struct error *e)
{
	enum status status;

	if (address >= c->extent.vaddr && address - c->extent.vaddr < c->extent.length)
		return STATUS_OK;
	c->extent = (struct virt_linear){ .vaddr = address };
	status = virt_translate(c->virt, address, &c->extent.paddr, &c->extent.length, e);
	if (status)
		c->extent.length = 0;
	return status;
}

/* Reads a part of the map.  Translations are kept: one is good for up to 2 MiB or more. */
static bool read_map(struct page_cursor *c, uint64_t address, size_t len, uint8_t *dst)
{
	while (len && !c->status) {
		enum status status = translate(c, address, &c->error);
		uint64_t within = address - c->extent.vaddr;
		size_t some = min_u64(len, c->extent.length - within);

		if (!status)
			status = memory_read(c->virt->core, c->extent.paddr + within, some, dst,
					     &c->error);
		if (core_bytes_end(status))
			c->status = status;
		if (status)
			return false;
		address += some;
		dst += some;
		len -= some;
	}
	return !c->status;
}

/* Windows are aligned, and a section is one or more of them, so a window is present or it is not. */
static void move(struct page_cursor *c, uint64_t pfn)
{
	const struct page_map *map = c->map;
	uint32_t size = map->keys->size;
	uint32_t count = PAGE_WINDOW / size;

	count = 1U << (31 - __builtin_clz(count));
	c->first = round_down(pfn, count);
	c->count = count;
	c->partial = !read_map(c, page_map_address(map, c->first), (size_t)count * size, c->bytes);
	if (!c->partial)
		return;
	for (uint32_t i = 0; i < count; i++)
		c->absent[i] = !read_map(c, page_map_address(map, c->first + i), size,
					 c->bytes + (size_t)i * size);
}

const uint8_t *page_cursor_load(struct page_cursor *c, uint64_t pfn)
{
	uint64_t within = pfn - c->first;

	if (within >= c->count) {
		move(c, pfn);
		within = pfn - c->first;
	}
	return c->partial && c->absent[within] ? NULL : c->bytes + within * c->map->keys->size;
}

bool page_cursor_copy(struct page_cursor *c, uint64_t pfn, unsigned count, uint8_t *dst)
{
	uint32_t size = c->map->keys->size;

	for (; count; count--, pfn++, dst += size) {
		uint64_t within = pfn - c->first;

		if (within < c->count && !(c->partial && c->absent[within]))
			memcpy(dst, c->bytes + within * size, size);
		else if (within < c->count || !page_map_has(c->map, pfn) ||
			 !read_map(c, page_map_address(c->map, pfn), size, dst))
			return false;
	}
	return true;
}
