// SPDX-License-Identifier: GPL-2.0-or-later
/* What the two bitmaps of a dump say of its page frames.  For set/dump*.c only. */
#ifndef NSPLIT_SET_DUMP_RUNS_H
#define NSPLIT_SET_DUMP_RUNS_H

#include <stddef.h>

#include "format/kdump.h"
#include "set/dump_file.h"

/* Consecutive page frames of memory that are all in the dump, or all not. */
struct dump_run {
	uint64_t pfn, count;
	uint64_t rank;			/* pages of the dump before the first one */
	bool kept;
};

struct dump_runs {
	struct dump_run *runs;		/* by pfn; owned */
	size_t count;
	uint64_t pages;			/* in the dump */
};

/*
 * Adds what both bitmaps say of so many page frames, from a multiple of 8 on that is not below those
 * that were added before.  False: there are too many runs, or no memory for them.
 */
bool dump_runs_add(struct dump_runs *r, const uint8_t *memory, const uint8_t *kept, uint64_t first,
		   uint64_t frames);
/* The number of pages of the dump below a page frame. */
uint64_t dump_runs_rank(const struct dump_runs *r, uint64_t pfn);

/* Page frames from first to end - 1, and a file whose bitmaps are read for them. */
struct dump_span {
	uint64_t first, end;
	const struct dump_file *from;
};

/*
 * Adds those of the next span.  STATUS_UNSUPPORTED: there are more runs than DUMP_HEADERS_MAX permits.  Free r->runs in
 * any case.
 */
enum status dump_runs_read(struct dump_runs *r, const struct dump_span *span, const struct kdump_header *h,
			   struct error *e);

/* Bits of pages in the dump, in short: if they are the same, these numbers are. */
struct dump_bits {
	uint64_t count, hash;
};

/* Those of a span.  STATUS_MISSING: the file does not have all of them. */
enum status dump_bits_read(struct dump_bits *bits, const struct dump_span *span, const struct kdump_header *h,
			   struct error *e);

#endif
