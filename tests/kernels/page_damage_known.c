// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The damage by which pages are lost, although all that can be checked is: doc/pages.md, "What no check
 * catches".
 */
#include "config.h"

#include <string.h>

#include "page_damage.h"

#define MARKED "The page type is the only thing that tells some pages of the kernel from others, and a few " \
	       "struct pages have another one."
#define ODD "Pages of zsmalloc (before 6.12), and pages of files that were being moved, have a mapping of which only " \
	    "the lowest bits say that they are not anonymous."
#define MOVED "Not the kernel's: pages of files that were being moved are on no list, so they count as the kernel's " \
	      "until they have arrived."
#define ORDER "One or two blocks of a wrong order: as many as there are CPUs may differ from the kernel's count."
#define PLACE "Each 2 MiB of the memory map are taken for the next ones, which are of pages of the same use.  How " \
	      "many are not depends on what the machine happened to use."

#define FEW "Single contradictions are expected, since CPUs were stopped while they changed struct pages; as many free " \
	    "blocks as there are CPUs may be more than the kernel counts."

static const struct {
	const char *name;		/* a part of the name of the case */
	/*
	 * Pages: up to four times what was measured, since no two machines use their memory in the same
	 * way.  Of the largest order: two blocks, but for their first pages.
	 */
	uint64_t most;
	const char *why;
} known[] = {
	{ ": odd mapping", 4096, ODD },
	{ "NUMBER(PG_lru) ", 4096, MOVED },
	{ ", 64 in 512: random mapcount", 2048, MARKED },
	{ ", 64 in 4096: random mapcount", 2048, MARKED },
	{ ", 64 in 512: slabs not marked", 64, MARKED },
	{ ", 64 in 4096: slabs not marked", 64, MARKED },
	{ ", 64 in 512: free blocks of the largest order", 2046, ORDER },
	{ ", 64 in 4096: free blocks of the largest order", 2046, ORDER },
	{ ", 64 in 512: ", 8, FEW },
	{ ", 64 in 4096: ", 8, FEW },
	{ "page tables of the map, 0 above the last: are those before them", UINT64_MAX, PLACE },
};

const char *damage_known(const char *name, uint64_t lost)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(name, known[i].name) && lost <= known[i].most)
			return known[i].why;
	return NULL;
}
