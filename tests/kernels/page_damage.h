// SPDX-License-Identifier: GPL-2.0-or-later
/* What the parts of page_damage share: a core that they damage, and the count of what that costs. */
#ifndef NSPLIT_TESTS_KERNELS_PAGE_DAMAGE_H
#define NSPLIT_TESTS_KERNELS_PAGE_DAMAGE_H

#include "core/page_map.h"
#include "core/pages.h"

struct damage {
	const char *name;		/* of the file */
	int fd;
	uint8_t *bytes;			/* of the core; a private copy that cases may change */
	uint64_t size;
	struct core core;
	struct vmcoreinfo info;		/* as it is */
	struct virt virt;
	struct page_keys keys;
	struct page_map map;		/* as it is, all four */
	struct pages pages;
	uint64_t frames;
	uint8_t *healthy, *kinds;	/* of each frame below */
	bool verbose;
	const char *only;		/* cases whose names begin so; empty: all */
	double usual;			/* CPU seconds that the undamaged core takes */
	unsigned cases, losing, unknown, slow;
	uint64_t worst;			/* pages lost by one case */
	double slowest;
	char slowest_name[128];
};

_Noreturn void damage_die(const char *what, const char *why);

/* Finds the kinds of all pages with this VMCOREINFO, judges them, and counts what would be lost. */
void damage_case(struct damage *d, const char *name, const struct vmcoreinfo *info);

/* Undoes all changes of d->bytes. */
void damage_restore(struct damage *d);

/* The bytes of a physical address in d->bytes, of which len follow; NULL: they are not in the core. */
uint8_t *damage_at(const struct damage *d, uint64_t paddr, uint64_t len);

/* Changes 8 bytes in every segment that has them. */
void damage_put(struct damage *d, uint64_t paddr, uint64_t value);

/* Why a case is expected to lose so many pages, as sentences; NULL: it is not. */
const char *damage_known(const char *name, uint64_t lost);

/* All cases of one kind. */
void damage_note(struct damage *d);		/* VMCOREINFO: page_damage_note.c */
void damage_pages(struct damage *d);		/* struct pages: page_damage_pages.c */
void damage_sections(struct damage *d);		/* page_damage_sections.c */
void damage_tables(struct damage *d);		/* page tables of the memory map: page_damage_tables.c */

#endif
