// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pages that a dump keeps, where memory has no room for a bit for each of them: they are divided into parts of
 * consecutive ranks, and the bits of a few parts are in memory.  Those of the others are made again when they are
 * asked for, by whoever knows which pages are kept.  Of each part there are the number of pages that it keeps,
 * and a checksum of its bits.
 *
 * A part that is not made as it was the first time is *lost*: the source has changed, and the number that a
 * page had is not known any more.  So that the numbers of other pages stay as they are, its first pages count as
 * those that are kept.
 *
 * Any thread may ask.
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_PARTS_H
#define NSPLIT_CORE_KINDS_PAGE_PARTS_H

#include "core/kinds/page_choice.h"

struct page_parts;

struct page_part_maker {
	/*
	 * choice has all pages from rank first on; leaves out those that are not kept.  One call at a time, in any
	 * thread, which may ask for nothing.
	 */
	void (*make)(void *arg, uint64_t first, struct page_choice *choice);
	/* The part of count pages from rank first on, of which it keeps some, is lost.  Called once for each, in any thread. */
	void (*lost)(void *arg, uint64_t first, uint64_t count, uint64_t kept);
	void *arg;
};

/* The pages in each part, of this number in all, so that the bits in memory are a small part of them. */
uint64_t page_parts_size(uint64_t count);
/* Bytes of memory with parts of this size. */
size_t page_parts_memory(uint64_t count);
/* Makes no part yet.  part: the pages in each. */
enum status page_parts_new(struct page_parts **parts, uint64_t count, uint64_t part,
			   const struct page_part_maker *maker, struct error *e);
/* parts may be NULL. */
void page_parts_free(struct page_parts *p);

/* Makes each part, and forgets what was known of it before.  Returns the number of pages kept.  Nobody may ask meanwhile. */
uint64_t page_parts_count(struct page_parts *p);

/*
 * As the functions of page_choice.h; a run ends at the end of a part.  *before: the pages kept before the run, as it was
 * when the run was found, since a part may be lost between two questions.
 */
uint64_t page_parts_before(struct page_parts *p, uint64_t rank);
uint64_t page_parts_find(struct page_parts *p, uint64_t n);
uint64_t page_parts_next(struct page_parts *p, uint64_t *rank, uint64_t end, uint64_t *before);

/* Is the page in a part that is lost by now? */
bool page_parts_lost(struct page_parts *p, uint64_t rank);

/* Is a part being made at the moment? */
bool page_parts_making(struct page_parts *p);

#endif
