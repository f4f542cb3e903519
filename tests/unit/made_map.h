// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A core with a memory map that tests fill in: eight sections of 1024 page frames.  Addresses are
 * translated by p_vaddr, so there are no page tables.
 */
#ifndef NSPLIT_TESTS_UNIT_MADE_MAP_H
#define NSPLIT_TESTS_UNIT_MADE_MAP_H

#include "core/kinds/page_kind.h"
#include "made_core.h"

enum {
	MADE_SECTIONS = 8, MADE_SECTION = 1024, MADE_FRAMES = MADE_SECTIONS * MADE_SECTION,
	MADE_MEMORY = MADE_FRAMES * 4096, MADE_PAGE = 64,
	/* Flags of made_keys_new, and of made_keys_old but for HEAD and SLAB. */
	MADE_PG_LRU = 1 << 5, MADE_PG_HEAD = 1 << 6, MADE_PG_SWAPCACHE = 1 << 10, MADE_PG_RESERVED = 1 << 13,
	MADE_PG_PRIVATE = 1 << 14, MADE_PG_SWAPBACKED = 1 << 17, MADE_PG_POISON = 1 << 21,
	MADE_PG_DIRTY = 1 << 4, MADE_PG_SLAB_OLD = 1 << 9, MADE_ORDERS = 11,
};

#define MADE_BASE 0xffffea0000000000	/* of the memory map */
#define MADE_DIRECT 0xffff888000000000	/* of physical address 0 */

enum {
	MADE_TEXT = 256, MADE_TEXTS = 16,	/* frames of the image of made_map_init_image() */
	MADE_OBJECT = 512, MADE_OBJECTS = 64,	/* of its slabs */
	MADE_LISTS = 6,				/* in a struct free_area */
	MADE_AREA = MADE_LISTS * 16 + 8,
};

#define MADE_TEXT_ADDRESS 0xffffffff81000000	/* of the first frame */
#define MADE_ZONE (MADE_DIRECT + 0x280000)	/* of the free_area of the zone */

/* VMCOREINFO of kernels from 6.12 on, and before 6.3. */
extern const char made_keys_new[], made_keys_old[];

struct made_map {
	char info[4096];
	struct segment segments[3];
	size_t segments_count;
	struct made_core m;
	struct core core;
	struct vmcoreinfo vmcoreinfo;
	struct virt virt;
	struct page_keys keys;
	struct page_map map;
	uint8_t *pages;			/* the struct pages, in the core; 0xff but for mapcount */
	uint8_t *sections;		/* the array of struct mem_section, 32 bytes each */
};

/*
 * Every section is present, and every page is of kind PAGE_OTHER.  change replaces the line of
 * VMCOREINFO that begins with the same key; NULL: none; "KEY" without a value removes it.
 */
void made_map_init(struct made_map *mm, const char *keys, const char *change);
/*
 * The same with keys_more added to VMCOREINFO, with this much of the memory in the file (all of it:
 * MADE_MEMORY), and with the kernel image, which is a part of it, as another segment.
 */
void made_map_init_whole(struct made_map *mm, const char *keys, const char *keys_more, uint64_t in_file,
			 const struct segment *image);
/*
 * The same with a smaller image, of which each frame is reserved, and which has a pointer into each of
 * MADE_OBJECTS frames of slabs; and with a zone without free blocks.
 */
void made_map_init_image(struct made_map *mm, const char *keys, const char *change);
/* Finds keys and opens the map. */
enum status made_map_open(struct made_map *mm, struct error *e);
void made_map_free(struct made_map *mm);

/* The struct page of a frame. */
uint8_t *made_page(struct made_map *mm, uint64_t pfn);

struct made_fields {
	uint64_t flags, compound, mapping, private, next, previous;
	uint32_t mapcount, refcount;
};

void made_page_set(struct made_map *mm, uint64_t pfn, const struct made_fields *fields);
/* A page of 2^order frames; tails by mask or by pointer. */
void made_page_compound(struct made_map *mm, uint64_t pfn, unsigned order, bool mask,
			const struct made_fields *head);
/* A free block; of frames after the first, no old content is left. */
void made_page_free(struct made_map *mm, uint64_t pfn, unsigned order);

/* 8 bytes of the memory at a kernel address, which may be in the map. */
void made_put(struct made_map *mm, uint64_t address, uint64_t value);
uint64_t made_get(struct made_map *mm, uint64_t address);

/* All lists of an array of struct free_area are empty. */
void made_zone_init(struct made_map *mm, uint64_t zone);
/* Makes a free block, at the beginning of a list, and counts it. */
void made_zone_add(struct made_map *mm, uint64_t zone, unsigned list, uint64_t pfn, unsigned order);

/* The kind of one frame. */
enum page_kind made_kind(struct made_map *mm, uint64_t pfn);

#endif
