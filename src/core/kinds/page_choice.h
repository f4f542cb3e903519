// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pages that a dump keeps: one bit for each page of the core, by rank (pages.h), which is
 * 32 MiB for 1 TiB of pages of 4 KiB, whatever their addresses are.  Where that does not fit the memory, they are
 * chosen by parts.
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_CHOICE_H
#define NSPLIT_CORE_KINDS_PAGE_CHOICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* All zero: every page is kept, and the functions below must not be called. */
struct page_choice {
	uint64_t count;			/* of pages in the core */
	uint64_t kept;			/* of those that are kept; valid after page_choice_end() */
	_Atomic uint64_t *bits;		/* owned; 1: kept */
	uint64_t *before;		/* kept pages before each group of words; owned */
};

/* Bytes of memory for this number of pages. */
size_t page_choice_memory(uint64_t count);
/* Every page is kept at first.  Call page_choice_free() in any case. */
enum status page_choice_begin(struct page_choice *c, uint64_t count, struct error *e);
/* The same, but what another one leaves out is left out. */
enum status page_choice_copy(struct page_choice *c, const struct page_choice *other, struct error *e);
void page_choice_free(struct page_choice *c);

/* Leaves out the pages rank to rank + count - 1.  May be called by any thread. */
void page_choice_leave_out(struct page_choice *c, uint64_t rank, uint64_t count);

/* After the last page was left out, and before any function below. */
void page_choice_end(struct page_choice *c);

bool page_choice_keeps(const struct page_choice *c, uint64_t rank);

/* The number of pages kept below a rank, which may be c->count. */
uint64_t page_choice_before(const struct page_choice *c, uint64_t rank);

/* The rank of the n-th page that is kept; n counts from 0 and is below c->kept. */
uint64_t page_choice_find(const struct page_choice *c, uint64_t n);

/*
 * The next pages at or after *rank and before end that are kept, consecutive in rank: sets *rank to
 * the first, and returns their number; 0: there are none.
 */
uint64_t page_choice_next(const struct page_choice *c, uint64_t *rank, uint64_t end);

/* --- by parts ----------------------------------------------------------------- */

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
 * As the functions above; a run ends at the end of a part.  *before: the pages kept before the run, as it was
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
