// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A core of 32 MiB with pages of every class, whose kinds are believed: it has what the checks of
 * page_trust.h look at, which are an image with pointers to slabs, and a zone with lists of free blocks.
 */
#ifndef NSPLIT_TESTS_UNIT_MADE_KERNEL_H
#define NSPLIT_TESTS_UNIT_MADE_KERNEL_H

#include "core/kinds/page_class.h"
#include "made_map.h"

/* Page frames, and how many there are of each. */
enum {
	MADE_SLAB = 512, MADE_SLABS = 16,
	MADE_FREE = 1024, MADE_FREES = 1024,		/* one block; */
	MADE_FEW = 2048, MADE_FEWS = 8,			/* another one */
	MADE_USER = 3000, MADE_USERS = 100,
	MADE_HUGE = 3584, MADE_HUGES = 512,		/* one page of several frames; */
	MADE_HUGETLB = 4608, MADE_HUGETLBS = 512,	/* another one, in the pool */
	MADE_CACHE = 5200, MADE_CACHES = 150,
	MADE_PRIVATE = 5400, MADE_PRIVATES = 10,
	MADE_OFFLINE = 5500, MADE_OFFLINES = 4,
	MADE_POISONED = 5600,				/* one anonymous page */
	MADE_IMAGE = 4096, MADE_IMAGES = 16,
	MADE_POINTERS = 100,				/* in the image */
};

/* made_map_free() frees it. */
void made_kernel_init(struct made_map *mm);

/* The same with a kernel log of 100 records (made_log.h), from page frame MADE_LOG on; its CPU has a stack in MADE_STACK. */
enum { MADE_LOG = 256, MADE_STACK = 700, MADE_STACKS = 4 };
void made_kernel_init_logged(struct made_map *mm);

/* Adds as many pointers to the image that lead to pages from this one on. */
void made_kernel_point_to(struct made_map *mm, uint64_t pfn);

/* The class of a page. */
enum page_class made_kernel_class(uint64_t pfn);

#endif
