// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pages that a dump keeps: one bit for each page of the core, by rank (pages.h), which is
 * 32 MiB for 1 TiB of pages of 4 KiB, whatever their addresses are.  See page_parts.h for where that does not fit
 * the memory.
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
/* The same again, of no more pages than it was begun with. */
void page_choice_restart(struct page_choice *c, uint64_t count);
/* The same, but what another one leaves out is left out. */
enum status page_choice_copy(struct page_choice *c, const struct page_choice *other, struct error *e);
void page_choice_free(struct page_choice *c);

/* Leaves out the pages rank to rank + count - 1.  May be called by any thread. */
void page_choice_leave_out(struct page_choice *c, uint64_t rank, uint64_t count);

/* After the last page was left out, and before any function below. */
void page_choice_end(struct page_choice *c);

/* Of the bits.  Other bits have another one, but for one case in very many. */
uint64_t page_choice_checksum(const struct page_choice *c);

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

#endif
