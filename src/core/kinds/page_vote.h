// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the pointers in the kernel image lead, nearly all of them to slabs; and what the kernel's page
 * tables are in and map.  If these are pages to be left out, the kernel itself uses pages of that class.
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_VOTE_H
#define NSPLIT_CORE_KINDS_PAGE_VOTE_H

#include "core/kinds/page_class.h"
#include "core/kinds/page_map.h"

enum { PAGE_VOTE_SEEN = 64 };

struct page_vote {
	uint64_t frames, reserved;	/* of the image; those that are PG_reserved */
	uint64_t words;			/* that look like pointers */
	uint64_t pointers;		/* to memory that is neither the image nor the memory map */
	/* Pages of each class to which some lead; the first of them by number, to count each once. */
	uint64_t to_class[PAGE_CLASSES];
	uint64_t seen[PAGE_CLASSES][PAGE_VOTE_SEEN];
	/* Pages that the kernel's page tables are in, and that they map for vmalloc(). */
	uint64_t tables, tables_of_class[PAGE_CLASSES];
	uint64_t mapped, mapped_of_class[PAGE_CLASSES];
	/* Symbols in VMCOREINFO whose addresses are of pages, and of pages of any class. */
	uint64_t symbols, symbols_of_classes;
};

/*
 * Reads the image, and the page tables.  The number of pointers and of tables is limited, so that the
 * time is, too.  Only failures that end the whole operation are returned.
 */
enum status page_vote_count(struct page_vote *vote, struct page_cursor *c, struct error *e);

#endif
