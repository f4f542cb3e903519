// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "made_map.h"

#define COMMON \
	"OSRELEASE=made\nPAGESIZE=4096\nSYMBOL(mem_section)=ffff888000001000\n" \
	"LENGTH(mem_section)=128\nSIZE(mem_section)=32\nOFFSET(mem_section.section_mem_map)=0\n" \
	"NUMBER(SECTION_SIZE_BITS)=22\nNUMBER(MAX_PHYSMEM_BITS)=36\nSIZE(page)=64\n" \
	"OFFSET(page.flags)=0\nOFFSET(page._refcount)=52\nOFFSET(page.mapping)=24\n" \
	"OFFSET(page.lru)=8\nOFFSET(page._mapcount)=48\nOFFSET(page.private)=40\n" \
	"LENGTH(zone.free_area)=11\nNUMBER(PG_lru)=5\nNUMBER(PG_private)=14\n" \
	"NUMBER(PG_swapcache)=10\nNUMBER(PG_swapbacked)=17\nNUMBER(PG_hwpoison)=21\n" \
	"NUMBER(PG_head_mask)=64\n"

const char made_keys_new[] = COMMON
	"OFFSET(page.compound_info)=8\nNUMBER(PAGE_SLAB_MAPCOUNT_VALUE)=-184549376\n"
	"NUMBER(PAGE_BUDDY_MAPCOUNT_VALUE)=-268435456\n"
	"NUMBER(PAGE_HUGETLB_MAPCOUNT_VALUE)=-201326592\n"
	"NUMBER(PAGE_OFFLINE_MAPCOUNT_VALUE)=-251658240\n"
	"NUMBER(PAGE_UNACCEPTED_MAPCOUNT_VALUE)=-150994944\n";

const char made_keys_old[] = COMMON
	"OFFSET(page.compound_head)=8\nOFFSET(page.compound_dtor)=16\n"
	"OFFSET(page.compound_order)=17\nNUMBER(HUGETLB_PAGE_DTOR)=2\nNUMBER(PG_slab)=9\n"
	"NUMBER(PAGE_BUDDY_MAPCOUNT_VALUE)=-129\nNUMBER(PAGE_OFFLINE_MAPCOUNT_VALUE)=-257\n";

enum { ROOTS = 0x1000, SECTIONS = 0x2000, LOW_SIZE = 0x3000, LOW_SIZE_IMAGE = 0x300000, SECTION_BYTES = 32 };

/* Copies the lines, but replaces or removes the one with the key of change. */
static void make_info(char *info, const char *keys, const char *change)
{
	size_t key = change ? strcspn(change, "=") : 0;
	bool found = !change;

	for (const char *line = keys; *line; line += strcspn(line, "\n") + 1) {
		int len = (int)strcspn(line, "\n") + 1;

		if (change && !strncmp(line, change, key) && line[key] == '=') {
			found = true;
			if (change[key])
				info += sprintf(info, "%s\n", change);
		} else {
			info += sprintf(info, "%.*s", len, line);
		}
	}
	if (!found)
		sprintf(info, "%s\n", change);
}

/* Makes a core with this much of the memory in the file, and with the kernel image, or NULL. */
static void make(struct made_map *mm, uint64_t in_file, const struct segment *image)
{
	struct made_fields other = { .mapcount = UINT32_MAX, .refcount = 1 };
	uint64_t size = MADE_FRAMES * MADE_PAGE;
	struct error e;

	mm->segments[0] = (struct segment){ .vaddr = MADE_DIRECT, .filesz = in_file,
					    .memsz = MADE_MEMORY };
	mm->segments[1] = (struct segment){ .vaddr = MADE_BASE, .paddr = MADE_MEMORY, .filesz = size,
					    .memsz = size };
	if (image)
		mm->segments[2] = *image;
	mm->segments_count = image ? 3 : 2;
	made_core_init(&mm->m, mm->segments, mm->segments_count, EM_X86_64, mm->info, false);
	mm->pages = mm->m.bytes + mm->segments[1].offset;
	mm->sections = mm->m.bytes + mm->segments[0].offset + SECTIONS;
	memset(mm->m.bytes + mm->segments[0].offset, 0, LOW_SIZE);
	put_le64(mm->m.bytes + mm->segments[0].offset + ROOTS, MADE_DIRECT + SECTIONS);
	for (int i = 0; i < MADE_SECTIONS; i++)
		put_le64(mm->sections + i * SECTION_BYTES, MADE_BASE | 15);
	for (uint64_t pfn = 0; pfn < MADE_FRAMES; pfn++)
		made_page_set(mm, pfn, &other);
	ck_assert_int_eq(core_open(&mm->core, &mm->m.source, &e), STATUS_OK);
	ck_assert_int_eq(vmcoreinfo_find(&mm->core, &mm->vmcoreinfo, &e), STATUS_OK);
	virt_init(&mm->virt, &mm->core, &mm->vmcoreinfo);
}

void made_map_init(struct made_map *mm, const char *keys, const char *change)
{
	memset(mm, 0, sizeof(*mm));
	make_info(mm->info, keys, change);
	make(mm, LOW_SIZE, NULL);
}

void made_map_init_whole(struct made_map *mm, const char *keys, const char *keys_more, uint64_t in_file,
			 const struct segment *image)
{
	memset(mm, 0, sizeof(*mm));
	make_info(mm->info, keys, NULL);
	strcat(mm->info, keys_more);
	make(mm, in_file, image);
}

void made_map_init_image(struct made_map *mm, const char *keys, const char *change)
{
	static const char more[] =
		"SYMBOL(_stext)=ffffffff81000000\nSIZE(free_area)=104\nLENGTH(free_area.free_list)=6\n";
	const struct segment text = {
		.vaddr = MADE_TEXT_ADDRESS, .paddr = MADE_TEXT * 4096,
		.filesz = MADE_TEXTS * 4096, .memsz = MADE_TEXTS * 4096,
	};
	struct made_fields image = { .flags = MADE_PG_RESERVED, .mapcount = UINT32_MAX, .refcount = 1 };
	struct made_fields slab = { .mapcount = UINT32_MAX, .refcount = 1 };
	bool is_new = strstr(keys, "PAGE_SLAB_MAPCOUNT_VALUE") != NULL;
	char all[4096];

	if (is_new)
		slab.mapcount = 0xf5000000;
	else
		slab.flags = MADE_PG_SLAB_OLD;
	snprintf(all, sizeof(all), "%s%s", keys, more);
	memset(mm, 0, sizeof(*mm));
	make_info(mm->info, all, change);
	make(mm, LOW_SIZE_IMAGE, &text);
	memset(mm->m.bytes + mm->segments[2].offset, 0, MADE_TEXTS * 4096);
	for (uint64_t i = 0; i < MADE_TEXTS; i++)
		made_page_set(mm, MADE_TEXT + i, &image);
	for (uint64_t i = 0; i < MADE_OBJECTS; i++) {
		made_page_set(mm, MADE_OBJECT + i, &slab);
		made_put(mm, MADE_TEXT_ADDRESS + i * 520, MADE_DIRECT + (MADE_OBJECT + i) * 4096 + 64);
	}
	made_zone_init(mm, MADE_ZONE);
}

enum status made_map_open(struct made_map *mm, struct error *e)
{
	enum status status = page_keys_find(&mm->keys, &mm->vmcoreinfo, e);

	page_map_close(&mm->map);
	return status ? status : page_map_open(&mm->map, &mm->virt, &mm->keys, e);
}

void made_map_free(struct made_map *mm)
{
	page_map_close(&mm->map);
	core_close(&mm->core);
	made_core_free(&mm->m);
}

uint8_t *made_page(struct made_map *mm, uint64_t pfn)
{
	return mm->pages + pfn * MADE_PAGE;
}

void made_page_set(struct made_map *mm, uint64_t pfn, const struct made_fields *f)
{
	uint8_t *page = made_page(mm, pfn);

	put_le64(page, f->flags);
	put_le64(page + 8, f->compound ? f->compound : f->next);
	put_le64(page + 16, f->previous);
	put_le64(page + 24, f->mapping);
	put_le64(page + 32, 0);
	put_le64(page + 40, f->private);
	put_le32(page + 48, f->mapcount);
	put_le32(page + 52, f->refcount);
	put_le64(page + 56, 0);
}

void made_page_compound(struct made_map *mm, uint64_t pfn, unsigned order, bool mask,
			const struct made_fields *head)
{
	struct made_fields first = *head, tail = { .mapping = 0xdead000000000401, .mapcount = UINT32_MAX };

	first.flags |= MADE_PG_HEAD;
	made_page_set(mm, pfn, &first);
	tail.compound = (mask ? -((uint64_t)MADE_PAGE << order) : MADE_BASE + pfn * MADE_PAGE) | 1;
	for (uint64_t i = 1; i < (uint64_t)1 << order; i++)
		made_page_set(mm, pfn + i, &tail);
	/* Since 6.6 in the lowest byte of the flags, and before 6.3 at 17. */
	made_page(mm, pfn + 1)[0] = (uint8_t)order;
	made_page(mm, pfn + 1)[17] = (uint8_t)order;
}

void made_page_free(struct made_map *mm, uint64_t pfn, unsigned order)
{
	for (uint64_t i = 1; order < MADE_ORDERS && i < (uint64_t)1 << order; i++)
		made_page_set(mm, pfn + i, &(struct made_fields){ .mapcount = UINT32_MAX });
	made_page_set(mm, pfn, &(struct made_fields){ .mapcount = mm->keys.type_buddy, .private = order });
}

static uint64_t physical(const struct made_map *mm, uint64_t address)
{
	for (size_t i = 0; i < mm->segments_count; i++)
		if (address - mm->segments[i].vaddr < mm->segments[i].filesz)
			return mm->segments[i].paddr + (address - mm->segments[i].vaddr);
	ck_abort_msg("there is no memory at %#llx", (unsigned long long)address);
}

void made_put(struct made_map *mm, uint64_t address, uint64_t value)
{
	made_core_poke64(&mm->m, mm->segments, mm->segments_count, physical(mm, address), value);
}

uint64_t made_get(struct made_map *mm, uint64_t address)
{
	uint64_t paddr = physical(mm, address);

	for (size_t i = 0; i < mm->segments_count; i++)
		if (paddr - mm->segments[i].paddr < mm->segments[i].filesz)
			return get_le64(mm->m.bytes + mm->segments[i].offset + (paddr - mm->segments[i].paddr));
	return 0;
}

/* --- zones ------------------------------------------------------------------------------ */

void made_zone_init(struct made_map *mm, uint64_t zone)
{
	for (uint64_t order = 0; order < MADE_ORDERS; order++, zone += MADE_AREA) {
		for (uint64_t list = 0; list < MADE_LISTS; list++) {
			made_put(mm, zone + list * 16, zone + list * 16);
			made_put(mm, zone + list * 16 + 8, zone + list * 16);
		}
		made_put(mm, zone + MADE_LISTS * 16, 0);
	}
}

void made_zone_add(struct made_map *mm, uint64_t zone, unsigned list, uint64_t pfn, unsigned order)
{
	uint64_t area = zone + (uint64_t)order * MADE_AREA, head = area + list * 16;
	uint64_t next = made_get(mm, head), lru = MADE_BASE + pfn * MADE_PAGE + 8;

	made_page_free(mm, pfn, order);
	made_put(mm, lru, next);
	made_put(mm, lru + 8, head);
	made_put(mm, next + 8, lru);
	made_put(mm, head, lru);
	made_put(mm, area + MADE_LISTS * 16, made_get(mm, area + MADE_LISTS * 16) + 1);
}

enum page_kind made_kind(struct made_map *mm, uint64_t pfn)
{
	struct page_cursor cursor;
	struct error e;
	uint8_t kind;

	page_cursor_init(&cursor, &mm->map, &mm->virt);
	ck_assert_int_eq(page_range_kinds(&cursor, pfn, 1, &kind, &e), STATUS_OK);
	return kind;
}
