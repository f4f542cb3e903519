// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "made_kernel.h"
#include "made_log.h"

enum {
	SIZE = 4096,
	LIST = 1,			/* of free blocks of one order; the one that is used */
	ZONE = 530 * SIZE,		/* where struct zone is */
};

static const uint64_t IMAGE_ADDRESS = 0xffffffff81000000;

static const char keys[] = "SYMBOL(_stext)=ffffffff81000000\nNUMBER(phys_base)=0\n"
			   "SIZE(free_area)=104\nLENGTH(free_area.free_list)=6\n";

static void poke(struct made_map *mm, uint64_t paddr, uint64_t value)
{
	made_core_poke64(&mm->m, mm->segments, LENGTH(mm->segments), paddr, value);
}

static uint64_t direct(uint64_t paddr)
{
	return MADE_DIRECT + paddr;
}

static void set_all(struct made_map *mm, uint64_t pfn, uint64_t count, const struct made_fields *fields)
{
	for (uint64_t i = 0; i < count; i++)
		made_page_set(mm, pfn + i, fields);
}

static void make_image(struct made_map *mm)
{
	struct made_fields reserved = { .flags = MADE_PG_RESERVED, .mapcount = UINT32_MAX, .refcount = 1 };

	set_all(mm, MADE_IMAGE, MADE_IMAGES, &reserved);
	made_kernel_point_to(mm, MADE_SLAB);
}

void made_kernel_point_to(struct made_map *mm, uint64_t pfn)
{
	/* One page of the image for each page frame that is pointed to, so that none is lost. */
	uint64_t at = (uint64_t)(MADE_IMAGE + (pfn == MADE_SLAB ? 0 : 1)) * SIZE;

	for (uint64_t i = 0; i < MADE_POINTERS; i++)
		poke(mm, at + 16 * i, direct((pfn + i % MADE_SLABS) * SIZE + 64 * (i / MADE_SLABS)));
}

static void init(struct made_map *mm, const char *vmcoreinfo)
{
	const struct segment image = {
		.vaddr = IMAGE_ADDRESS, .paddr = MADE_IMAGE * SIZE,
		.filesz = MADE_IMAGES * SIZE, .memsz = MADE_IMAGES * SIZE,
	};
	uint64_t object = direct(MADE_SLAB * SIZE + 256);
	struct made_fields slab = { .refcount = 1 }, huge = { .refcount = 1 }, offline = { .refcount = 1 };
	struct made_fields user = { .flags = MADE_PG_LRU | MADE_PG_SWAPBACKED, .mapping = object | 1,
				    .refcount = 1 };
	struct made_fields cache = { .flags = MADE_PG_LRU, .mapping = object, .refcount = 1,
				     .mapcount = UINT32_MAX };
	struct error e;

	made_map_init_whole(mm, made_keys_new, vmcoreinfo, MADE_MEMORY, &image);
	ck_assert_int_eq(page_keys_find(&mm->keys, &mm->vmcoreinfo, &e), STATUS_OK);
	slab.mapcount = mm->keys.type_slab;
	huge.mapcount = mm->keys.type_hugetlb;
	offline.mapcount = mm->keys.type_offline;
	make_image(mm);
	made_zone_init(mm, direct(ZONE));
	made_zone_add(mm, direct(ZONE), LIST, MADE_FREE, 10);
	made_zone_add(mm, direct(ZONE), LIST, MADE_FEW, 3);
	set_all(mm, MADE_SLAB, MADE_SLABS, &slab);
	set_all(mm, MADE_USER, MADE_USERS, &user);
	made_page_compound(mm, MADE_HUGE, 9, true, &user);
	made_page_compound(mm, MADE_HUGETLB, 9, true, &huge);
	set_all(mm, MADE_CACHE, MADE_CACHES, &cache);
	cache.flags |= MADE_PG_PRIVATE;
	set_all(mm, MADE_PRIVATE, MADE_PRIVATES, &cache);
	set_all(mm, MADE_OFFLINE, MADE_OFFLINES, &offline);
	user.flags |= MADE_PG_POISON;
	set_all(mm, MADE_POISONED, 1, &user);
}

void made_kernel_init(struct made_map *mm)
{
	init(mm, keys);
}

void made_kernel_init_logged(struct made_map *mm)
{
	char all[sizeof(mm->info)];
	struct made_log log;
	uint8_t *note;

	snprintf(all, sizeof(all), "%s%s", keys, made_ring_info);
	init(mm, all);
	made_ring_init(&log, EM_X86_64, 8, 14, 0);
	for (unsigned n = 1; n <= 100; n++) {
		char text[64];

		snprintf(text, sizeof(text), "record number %03u of one hundred of them", n);
		made_ring_add(&log, n * 1000000, text, strlen(text));
	}
	made_core_poke(&mm->m, mm->segments, LENGTH(mm->segments), MADE_LOG_BASE,
		       log.core.bytes + log.segment.offset, MADE_LOG_PAGES * SIZE);
	made_log_free(&log);
	/* The stack pointer in struct elf_prstatus. */
	note = memmem(mm->m.bytes, mm->segments[0].offset, "CORE", 5);
	ck_assert_ptr_nonnull(note);
	put_le64(note + 8 + 112 + 19 * 8, direct(MADE_STACK * SIZE + 9000));
}

static bool in(uint64_t pfn, uint64_t first, uint64_t count)
{
	return pfn >= first && pfn < first + count;
}

enum page_class made_kernel_class(uint64_t pfn)
{
	if (in(pfn, MADE_CACHE, MADE_CACHES))
		return PAGE_CLASS_CACHE;
	if (in(pfn, MADE_PRIVATE, MADE_PRIVATES))
		return PAGE_CLASS_PRIVATE;
	if (in(pfn, MADE_USER, MADE_USERS) || in(pfn, MADE_HUGE, MADE_HUGES) ||
	    in(pfn, MADE_HUGETLB, MADE_HUGETLBS))
		return PAGE_CLASS_USER;
	if (in(pfn, MADE_FREE, MADE_FREES) || in(pfn, MADE_FEW, MADE_FEWS) ||
	    in(pfn, MADE_OFFLINE, MADE_OFFLINES))
		return PAGE_CLASS_FREE;
	return PAGE_CLASSES;
}
