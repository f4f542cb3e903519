// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "core/kinds/page_map.h"

/* Reads struct pages, for one thread. */

void page_cursor_init(struct page_cursor *c, const struct page_map *map, const struct virt *virt)
{
	c->map = map;
	c->virt = virt;
	c->extent = (struct virt_linear){ 0 };
	c->count = 0;
	c->partial = false;
	c->status = STATUS_OK;
}

/* Reads a part of the map.  Translations are kept: one is good for up to 2 MiB or more. */
static bool read_map(struct page_cursor *c, uint64_t address, size_t len, uint8_t *dst)
{
	enum status status = c->status;

	if (!status)
		status = virt_read_near(c->virt, &c->extent, address, len, dst, &c->error);
	if (core_bytes_end(status))
		c->status = status;
	return !status;
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

bool page_cursor_copy(struct page_cursor *c, uint64_t pfn, uint8_t *dst)
{
	uint32_t size = c->map->keys->size;
	uint64_t within = pfn - c->first;

	if (within >= c->count)
		return page_map_has(c->map, pfn) && read_map(c, page_map_address(c->map, pfn), size, dst);
	if (c->partial && c->absent[within])
		return false;
	memcpy(dst, c->bytes + within * size, size);
	return true;
}

/* The sections of memory that are present, and the place of their map. */

/*
 * Budgets, since the roots of a broken core may lead anywhere.  Roots: four times what x86_64 has; used
 * ones: 1 PiB.  Sections have at most 1 GiB on all machines.
 */
enum { ROOTS_MAX = 1 << 20, ROOTS_USED_MAX = 1 << 16, SECTION_BITS_MAX = 35 };

/* 128 TiB of pages of 4 KiB. */
static const uint64_t FRAMES_MAX = (uint64_t)1 << 35;

/* A section has at least those of a window of a cursor.  Real ones have 8192 or more. */
enum { PIECE = 4096, FRAMES_MIN = PAGE_WINDOW / STRUCT_PAGE_MIN };

/* What VMCOREINFO says about sections (include/linux/mmzone.h). */
struct sections {
	const struct virt *virt;
	struct page_map *map;
	uint64_t table;			/* mem_section: address of the array, or of the root array */
	bool extreme;			/* the array is in pages, to which a root array points */
	uint32_t size;			/* of a struct mem_section */
	uint32_t word;			/* offset of section_mem_map in it */
	uint64_t begin, end;		/* the sections to look at */
	uint64_t present;		/* how many are, */
	uint64_t most;			/* and how many can be */
	uint64_t base;			/* of the map; 0: not known yet */
	bool several;			/* sections have different bases */
	struct error unread;		/* why the first part that cannot be read cannot, or no status */
};

/*
 * section_mem_map: bit 0 says whether the section is present; a removed one keeps its address.  Bit 2
 * says whether it is online: before, its struct pages have old content.  With vmemmap all have the
 * same base, which is aligned far beyond 4096.  The lower bits are flags, and have become more three
 * times, so all of them are masked.
 */
static enum status add_section(struct sections *s, uint64_t number, uint64_t word, struct error *e)
{
	const uint64_t present_and_online = 1 | 4, flags = 4095;
	struct page_map *map = s->map;
	uint64_t base = word & ~flags;

	if (~word & present_and_online || !base)
		return STATUS_OK;
	if (++s->present > s->most)
		return error_set(e, STATUS_DAMAGED, "the memory map of more than %" PRIu64 " sections "
				 "would be larger than the core", s->most);
	if (!s->base)
		s->base = base;
	s->several |= base != s->base;
	if (!range_list_extend(&map->present, number << map->section_shift,
			       (uint64_t)1 << map->section_shift))
		return error_system(e, ENOMEM, "list of memory sections");
	return STATUS_OK;
}

/* Adds the sections of a part of the array.  What cannot be read is not present. */
static enum status add_array(struct sections *s, uint64_t address, uint64_t number, uint64_t end,
			     struct error *e)
{
	uint8_t piece[PIECE];
	uint64_t at_once = PIECE / s->size;

	while (number < end) {
		uint64_t count = min_u64(at_once, end - number);
		enum status status = virt_read(s->virt, address, count * s->size, piece, e);

		if (core_bytes_end(status))
			return status;
		if (status && !s->unread.status)
			s->unread = *e;
		for (uint64_t i = 0; i < count && !status; i++) {
			status = add_section(s, number + i, get_le64(piece + i * s->size + s->word), e);
			if (status)
				return status;
		}
		number += count;
		address += count * s->size;
	}
	return STATUS_OK;
}

static enum status cannot_be_read(struct error *e)
{
	return error_prefix(e, "the sections of memory cannot be read: ");
}

/* A root without sections is NULL. */
static enum status add_roots(struct sections *s, struct error *e)
{
	const uint64_t per_root = s->map->keys->page_size / s->size;
	uint64_t root = s->begin / per_root, end = divide_up(s->end, per_root), used = 0;

	while (root < end) {
		uint8_t piece[PIECE];
		uint64_t count = min_u64(PIECE / 8, end - root);
		enum status status = virt_read(s->virt, s->table + root * 8, count * 8, piece, e);

		if (core_bytes_end(status))
			return status;
		if (status)
			return cannot_be_read(e);
		for (uint64_t i = 0; i < count; i++, root++) {
			uint64_t address = get_le64(piece + i * 8);

			if (!address || ++used > ROOTS_USED_MAX)
				continue;
			status = add_array(s, address, root * per_root,
					   min_u64((root + 1) * per_root, s->end), e);
			if (status)
				return status;
		}
	}
	return STATUS_OK;
}

/* All sections below the highest address that is memory. */
static uint64_t sections_end(const struct sections *s)
{
	const struct core *core = s->virt->core;
	unsigned shift = s->map->section_shift + s->map->keys->page_shift;
	uint64_t end = 0;

	for (size_t i = 0; i < core->segments_count; i++)
		end = max_u64(end, core->segments[i].paddr + core->segments[i].memsz);
	return divide_up(end, (uint64_t)1 << shift);
}

static enum status no_key(const char *key, struct error *e)
{
	return error_set(e, STATUS_DAMAGED, "VMCOREINFO has no valid %s", key);
}

/* The root array has an entry for each page of sections that there could be. */
static enum status find_sections(struct sections *s, const struct vmcoreinfo *info, struct error *e)
{
	const struct page_keys *k = s->map->keys;
	uint64_t length, size, word, bits, most, per_root, frames;

	if (!vmcoreinfo_get(info, "SYMBOL", "mem_section", &s->table))
		return no_key("SYMBOL(mem_section)", e);
	if (!vmcoreinfo_get(info, "LENGTH", "mem_section", &length) || !length || length > ROOTS_MAX)
		return no_key("LENGTH(mem_section)", e);
	if (!vmcoreinfo_get(info, "SIZE", "mem_section", &size) || size < 8 || size > 256)
		return no_key("SIZE(mem_section)", e);
	if (!vmcoreinfo_get(info, "OFFSET", "mem_section.section_mem_map", &word) ||
	    word > size - 8)
		return no_key("OFFSET(mem_section.section_mem_map)", e);
	if (!vmcoreinfo_get(info, "NUMBER", "SECTION_SIZE_BITS", &bits) || bits > SECTION_BITS_MAX ||
	    bits < k->page_shift || (uint64_t)1 << (bits - k->page_shift) < FRAMES_MIN)
		return no_key("NUMBER(SECTION_SIZE_BITS)", e);
	if (!vmcoreinfo_get(info, "NUMBER", "MAX_PHYSMEM_BITS", &most) || most < bits || most > 56)
		return no_key("NUMBER(MAX_PHYSMEM_BITS)", e);
	s->size = (uint32_t)size;
	s->word = (uint32_t)word;
	s->map->section_shift = (unsigned)(bits - k->page_shift);
	per_root = k->page_size / size;
	s->extreme = length == divide_up((uint64_t)1 << (most - bits), per_root);
	/*
	 * The map is a part of the memory that is in the core.  This bounds the time that it takes to look at
	 * all of it, whatever sections and page tables lead to.
	 */
	frames = (uint64_t)1 << s->map->section_shift;
	s->most = min_u64(divide_up(s->virt->core->bytes.size, frames * k->size), FRAMES_MAX / frames);
	s->end = min_u64(sections_end(s), (uint64_t)1 << (most - bits));
	if (!s->extreme)
		s->end = min_u64(s->end, length);
	return STATUS_OK;
}

/* Without vmemmap, sections beyond a gap have another base.  One with a wrong base would be enough. */
static enum status check_base(struct sections *s, const struct vmcoreinfo *info, struct error *e)
{
	uint64_t symbol;

	if (!s->present && s->unread.status) {
		*e = s->unread;
		return cannot_be_read(e);
	}
	if (!s->present)
		return error_set(e, STATUS_DAMAGED, "no section of memory is present");
	if (s->several)
		return error_set(e, STATUS_UNSUPPORTED, "the sections of memory do not have a common "
				 "map; only kernels with vmemmap are supported");
	if (vmcoreinfo_get(info, "SYMBOL", "vmemmap", &symbol) && symbol != s->base)
		return error_set(e, STATUS_DAMAGED, "the sections of memory have their map at %#"
				 PRIx64 ", but VMCOREINFO says %#" PRIx64, s->base, symbol);
	s->map->base = s->base;
	return STATUS_OK;
}

/* Sets base, section_shift and the present frames of a map, and counts the present sections. */
static enum status page_sections_find(struct page_map *map, const struct virt *virt, uint64_t *present,
				      struct error *e)
{
	struct sections s = { .virt = virt, .map = map };
	enum status status = find_sections(&s, virt->info, e);

	if (!status)
		status = s.extreme ? add_roots(&s, e) : add_array(&s, s.table, 0, s.end, e);
	if (!status)
		status = check_base(&s, virt->info, e);
	*present = s.present;
	return status;
}

/* Where the kernel image is. */

/*
 * Images have up to 60 MiB.  What is unmapped in them was freed after the kernel had started.  Page
 * tables of a broken core may lead anywhere, so the number of translations is limited.
 */
enum { IMAGE_TRANSLATIONS_MAX = 1 << 14 };

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
	for (uint64_t at = 0, n = 0; at < LONGEST && at - *mapped < UNMAPPED && n < IMAGE_TRANSLATIONS_MAX; n++) {
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

/*
 * The smallest segment with the memory at an address; one that has it at this virtual address comes before others.
 * NULL: there is none.
 */
static const struct segment *find_segment(const struct core *core, uint64_t vaddr, uint64_t paddr)
{
	const struct segment *found = NULL;
	bool is_mapped = false;

	for (size_t i = 0; i < core->segments_count; i++) {
		const struct segment *s = &core->segments[i];
		bool maps = s->vaddr - s->paddr == vaddr - paddr;

		if (paddr - s->paddr >= s->filesz || maps < is_mapped ||
		    (found && maps == is_mapped && s->filesz > found->filesz))
			continue;
		found = s;
		is_mapped = maps;
	}
	return found;
}

/*
 * Sets image and image_address of the map, unless it is not known.  Only failures that end the whole
 * operation.
 *
 * kexec writes a segment for the image, which is also in that of the memory around it; other writers cut it.  In cores
 * of hypervisors, and in dumps, it has none: then it is what the page tables map.  If these are not there,
 * it is what begins with its code, as far as images are long.
 */
static enum status page_image_find(struct page_map *map, const struct virt *virt, struct error *e)
{
	unsigned shift = map->keys->page_shift;
	uint64_t stext, paddr, length, mapped = 0, first, end;
	const struct segment *s;
	struct segment whole;
	enum status status;

	if (!vmcoreinfo_get(virt->info, "SYMBOL", "_stext", &stext))
		return STATUS_OK;
	status = virt_translate(virt, stext, &paddr, &length, e);
	if (status)
		return core_bytes_end(status) ? status : STATUS_OK;
	s = find_segment(virt->core, stext, paddr);
	if (!s)
		return STATUS_OK;
	whole = core_segment_whole(virt->core, s, map->keys->page_size);
	first = whole.paddr;
	end = whole.paddr + whole.memsz;
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
