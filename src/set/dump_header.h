// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The headers, notes and bitmaps of one file of a dump, and the headers of the core that is made of them.  Of a number
 * that is there twice, the copy that is possible is used.  For set/dump*.c only.
 */
#ifndef NSPLIT_SET_DUMP_HEADER_H
#define NSPLIT_SET_DUMP_HEADER_H

#include "core/elf.h"
#include "set/dump.h"

/* A core with these notes, which are borrowed, and nothing else. */
static inline struct core dump_notes_core(const struct dump_notes *notes)
{
	return (struct core){ .notes = notes->bytes, .notes_size = notes->size };
}

/* Adds a note behind the whole ones.  False: out of memory. */
bool dump_notes_add(struct dump_notes *n, const char *name, const void *text, size_t size);

/*
 * Reads the headers.  d->findings gets a sentence for each number that is wrong, if the rest of the file says what it is.
 * Free notes->bytes in any case.
 */
enum status dump_header_read(struct dump *d, const struct dump_part *p, struct kdump_header *h, struct dump_notes *notes,
			     struct error *e);

/* Does the part have descriptors of exactly this number of pages?  DUMP_UNKNOWN: some are not there. */
enum dump_fit { DUMP_MISFIT, DUMP_UNKNOWN, DUMP_FIT };

enum dump_fit dump_fits(const struct dump *d, const struct dump_part *p, uint64_t pages);

/* What is behind the end of the file was needed. */
enum status dump_cut_short(const struct dump_file *f, struct error *e);

/* Consecutive page frames of memory that are all in the dump, or all not. */
struct dump_run {
	uint64_t pfn, count;		/* first, for spans_find() */
	uint64_t rank;			/* pages of the dump before the first one */
	bool kept;
};

struct dump_runs {
	struct dump_run *runs;		/* by pfn; owned */
	size_t count;
	uint64_t pages;			/* in the dump */
};

/* The number of pages of the dump below a page frame. */
uint64_t dump_runs_rank(const struct dump_runs *r, uint64_t pfn);

/*
 * Adds what both bitmaps say of the page frames from first to end - 1, which follow those before.  STATUS_UNSUPPORTED: there are more runs than
 * DUMP_HEADERS_MAX permits.  Free r->runs in any case.
 */
enum status dump_runs_read(struct dump_runs *r, const struct dump_file *f, const struct kdump_header *h, uint64_t first,
			   uint64_t end, struct error *e);

/*
 * Makes d->head: an ELF header, a program header for the notes and one for each run, and the notes.  Its size is a
 * multiple of the block size.  False: out of memory.
 */
bool dump_core_head(struct dump *d, const struct dump_runs *runs, const struct dump_notes *notes);

/* The descriptors that are read at once. */
enum { DUMP_BATCH = 64 };

/* Reads the descriptor of the i-th page of a file.  False: it is not there, or none. */
bool dump_descriptor_read(const struct dump *d, const struct dump_part *part, uint64_t i, struct kdump_descriptor *p);

#endif
