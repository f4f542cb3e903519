// SPDX-License-Identifier: GPL-2.0-or-later
/* What the parts of page_damage share: a core that they damage, and the count of what that costs. */
#ifndef NSPLIT_TESTS_KERNELS_PAGE_DAMAGE_H
#define NSPLIT_TESTS_KERNELS_PAGE_DAMAGE_H

#include "core/kinds/page_map.h"
#include "core/kinds/page_trust.h"
#include "core/pages.h"

struct damage {
	const char *name;		/* of the file */
	int fd;
	uint8_t *bytes;			/* of the core; a copy that cases may change */
	uint64_t size;
	const uint8_t *original;	/* if the copy is shared; otherwise NULL */
	int shared_fd;			/* of that copy */
	uint64_t shared_size;		/* with DAMAGE_NOTES_MAX unused bytes at its end */
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
	uint64_t lookups;		/* of the latest case, as many as page_vote.c allows in a core of any size */
	unsigned cases, losing, unknown, slow;
	uint64_t worst;			/* pages lost by one case */
	double slowest;
	char slowest_name[128];
};

_Noreturn void damage_die(const char *what, const char *why);

enum { DAMAGE_NOTES_MAX = 1 << 17 };

/*
 * Opens d->name, and finds the kinds of its pages as it is.  shared: other programs can read the copy, as
 * d->shared_fd.
 */
void damage_open(struct damage *d, bool shared);
void damage_close(struct damage *d);

/* CPU time of this process: other programs may run, too. */
double damage_seconds(void);

/* Finds the kinds of all pages with this VMCOREINFO, and which classes of them can be believed. */
void damage_judge(struct damage *d, const struct vmcoreinfo *info, struct page_trust *trust);

/* What the program does with a core that is damaged, and this VMCOREINFO. */
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
