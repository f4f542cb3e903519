// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The form of an ELF core with the pages that are kept: what its headers are, and where each page is.
 *
 *     ELF header | program headers | notes | pages, by address
 *
 * A segment begins and ends with a page that is kept.  Fewer than ELF_GAP pages that are not kept do not end it, and
 * are zeros, as makedumpfile -E has it: a header for each run would be too many.  What is left out behind a segment
 * is in its length in memory.  Memory that has several virtual addresses, as the kernel image, has a further header
 * for the same bytes.
 */
#ifndef NSPLIT_EXPORT_ELF_FORM_H
#define NSPLIT_EXPORT_ELF_FORM_H

#include "core/pages.h"

enum { ELF_GAP = 256 };

/* Pages of a segment; all of one segment of the source. */
struct elf_run {
	uint64_t pfn, count;		/* first, for spans_find() */
	uint64_t place;			/* of the first page: pages of the file before it */
	uint64_t end;			/* up to this frame, memory is of the same segment and left out */
	const struct segment *segment;	/* of the source, borrowed */
};

struct elf_form {
	const struct core *core;	/* these two are borrowed */
	const struct pages *pages;
	struct elf_run *runs;		/* by pfn; owned */
	size_t runs_count;
	uint64_t places;		/* pages of the file, kept or not */
	uint8_t *head;			/* everything before the pages; owned */
	uint64_t head_length;		/* bytes, a multiple of the page size */
};

/* Both must outlive it.  elf_form_free() must be called in any case. */
enum status elf_form_init(struct elf_form *x, const struct core *core, const struct pages *pages, struct error *e);
void elf_form_free(struct elf_form *x);

/* The place of a page that is kept. */
uint64_t elf_form_place(const struct elf_form *x, uint64_t pfn);

#endif
