// SPDX-License-Identifier: GPL-2.0-or-later
/* For the programs here that examine the pages of a core: its file, its memory map and its pages. */
#ifndef NSPLIT_TESTS_PAGE_CORE_H
#define NSPLIT_TESTS_PAGE_CORE_H

#include "core/kinds/page_map.h"
#include "core/pages.h"

/* A whole file, mapped. */
struct file {
	const uint8_t *bytes;
	uint64_t size;
};

/* Exits with status 2 if it cannot be read. */
struct file file_map(const char *name);

struct page_core {
	struct file file;
	struct core core;
	struct vmcoreinfo info;
	struct page_keys keys;
	struct virt virt;
	struct page_map map;
	struct pages pages;
	struct page_cursor cursor;
};

/* Exits with status 2 if there is no memory map.  The argument is not copied afterwards. */
void page_core_open(struct page_core *c, const char *name);
void page_core_close(struct page_core *c);

/* The kinds of count frames; exits with status 2 if they cannot be found. */
void page_core_kinds(struct page_core *c, uint64_t pfn, size_t count, uint8_t *kinds);

/* A copy of the struct page of a frame.  False: it cannot be read. */
bool page_core_struct(struct page_core *c, uint64_t pfn, uint8_t page[STRUCT_PAGE_MAX]);

/* Is the page on no LRU list?  One of several frames has the lists of the first. */
bool page_core_is_off_lists(struct page_core *c, uint64_t pfn);

/* Is it one of several frames? */
bool page_core_is_compound(struct page_core *c, uint64_t pfn);

#endif
