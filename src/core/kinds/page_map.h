// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory map: the crashed kernel's array of struct page, one for each page frame.
 *
 * On x86_64 and arm64 it is one array of kernel addresses (vmemmap), but only the parts of it exist
 * whose *sections* of physical memory, of 128 MiB or more, are present.
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_MAP_H
#define NSPLIT_CORE_KINDS_PAGE_MAP_H

#include "base/array.h"
#include "core/kinds/page_keys.h"
#include "core/virt.h"

/* Constant after page_map_open(), for any number of threads. */
struct page_map {
	const struct page_keys *keys;	/* borrowed */
	uint64_t base;			/* address of the struct page of frame 0, which may not exist */
	unsigned section_shift;		/* log2 of the frames of a section */
	/* These are ranges of frames. */
	struct range_list present;	/* those that have a struct page, in order */
	/* Those in which the map itself is, as far as they are known; in order. */
	struct range_list own;
	struct range image;		/* the kernel image; length 0: not known */
	uint64_t image_address;		/* of the first byte of its first frame, in the kernel */
};

/*
 * Reads which sections are present, and translates their addresses.  Memory: some bytes for each
 * gap between sections.  The error of any failure but STATUS_NO_MEMORY and STATUS_STOPPED is one
 * sentence that says why there is no memory map.  page_map_close() must be called in any case.
 */
enum status page_map_open(struct page_map *map, const struct virt *virt,
			  const struct page_keys *keys, struct error *e);
void page_map_close(struct page_map *map);

enum { PAGE_WINDOW = 16384 };

/*
 * A thread's view of the map: struct pages of consecutive frames.  It belongs to one thread, needs
 * no memory of its own, and no call to end it.  If it is allocated, by memory_to_read().
 */
struct page_cursor {
	const struct page_map *map;	/* borrowed */
	const struct virt *virt;	/* borrowed; used by this thread only, or by several at once */
	struct virt_linear extent;	/* the latest part of the map that was translated */
	uint64_t first;			/* frames in the window, aligned */
	uint32_t count;			/* 0 at first */
	bool partial;			/* some could not be read, */
	uint8_t absent[PAGE_WINDOW / STRUCT_PAGE_MIN];	/* those that are not 0 here */
	_Alignas(64) uint8_t bytes[PAGE_WINDOW];	/* see memory_to_read() */
	/* A failure that ends the whole operation: every further read fails. */
	enum status status;
	struct error error;
};

/* virt has the same core and VMCOREINFO as that of page_map_open(). */
void page_cursor_init(struct page_cursor *c, const struct page_map *map, const struct virt *virt);

/* The address of a frame's struct page in the kernel. */
static inline uint64_t page_map_address(const struct page_map *map, uint64_t pfn)
{
	return map->base + pfn * map->keys->size;
}

/* Has the frame a struct page? */
bool page_map_has(const struct page_map *map, uint64_t pfn);

/* The same as page_cursor_get(), also if the frame is not in the window. */
const uint8_t *page_cursor_load(struct page_cursor *c, uint64_t pfn);

/*
 * The struct page of a frame, for which page_map_has() is true; valid until the next call.  NULL: it
 * cannot be read.
 */
static inline const uint8_t *page_cursor_get(struct page_cursor *c, uint64_t pfn)
{
	uint64_t within = pfn - c->first;

	if (within < c->count && !c->partial)
		return c->bytes + within * c->map->keys->size;
	return page_cursor_load(c, pfn);
}

/*
 * Copies the struct page of a frame, which need not be in the window, and leaves the window as it is.
 * False: it does not exist or cannot be read.
 */
bool page_cursor_copy(struct page_cursor *c, uint64_t pfn, uint8_t *dst);

#endif
