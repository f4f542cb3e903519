// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "core/kinds/page_image.h"

/*
 * Images have up to 60 MiB.  What is unmapped in them was freed after the kernel had started.  Page
 * tables of a broken core may lead anywhere, so the number of translations is limited.
 */
enum { TRANSLATIONS_MAX = 1 << 14 };

static const uint64_t LONGEST = 256 << 20, ASSUMED = 32 << 20, UNMAPPED = 16 << 20;

/*
 * The bytes from the first one on that the page tables map one after the other, but for gaps; 0: not
 * known.
 */
static enum status find_mapped(const struct virt *virt, uint64_t vaddr, uint64_t paddr, uint64_t *mapped,
			       struct error *e)
{
	uint64_t page = (uint64_t)1 << virt->tables.page_shift, length;

	*mapped = 0;
	if (!virt->tables.levels)
		return STATUS_OK;
	for (uint64_t at = 0, n = 0; at < LONGEST && at - *mapped < UNMAPPED && n < TRANSLATIONS_MAX; n++) {
		uint64_t is;
		enum status status = page_tables_walk(&virt->tables, virt->core, vaddr + at, &is, &length, e);

		if (core_bytes_end(status))
			return status;
		if (!status && is != paddr + at)
			break;
		at += status ? page - (vaddr + at) % page : min_u64(length, LONGEST - at);
		if (!status)
			*mapped = at;
	}
	return STATUS_OK;
}

/* The smallest segment with an address.  NULL: there is none. */
static const struct segment *find_segment(const struct core *core, uint64_t paddr)
{
	const struct segment *found = NULL;

	for (size_t i = 0; i < core->segments_count; i++) {
		const struct segment *s = &core->segments[i];

		if (paddr - s->paddr < s->filesz && (!found || s->filesz <= found->filesz))
			found = s;
	}
	return found;
}

/*
 * kexec writes a segment for the image, which is also in that of the memory around it.  In cores of
 * hypervisors, and in dumps, it has none: then it is what the page tables map.  If these are not there,
 * it is what begins with its code, as far as images are long.
 */
enum status page_image_find(struct page_map *map, const struct virt *virt, struct error *e)
{
	unsigned shift = map->keys->page_shift;
	uint64_t stext, paddr, length, mapped = 0, first, end;
	const struct segment *s;
	enum status status;

	if (!vmcoreinfo_get(virt->info, "SYMBOL", "_stext", &stext))
		return STATUS_OK;
	status = virt_translate(virt, stext, &paddr, &length, e);
	if (status)
		return core_bytes_end(status) ? status : STATUS_OK;
	s = find_segment(virt->core, paddr);
	if (!s)
		return STATUS_OK;
	first = s->paddr;
	end = s->paddr + s->filesz;
	if (s->vaddr + (paddr - s->paddr) != stext)
		status = find_mapped(virt, stext, paddr, &mapped, e);
	if (status)
		return status;
	if (mapped) {
		first = paddr;
		end = paddr + mapped;
	} else if (end - first > LONGEST) {
		first = paddr;
		end = min_u64(end, paddr + ASSUMED);
	}
	map->image.offset = first >> shift;
	map->image.length = ((end - 1) >> shift) + 1 - map->image.offset;
	map->image_address = stext - (paddr - (map->image.offset << shift));
	return STATUS_OK;
}
