// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the pointers in the kernel image lead: nearly all to slabs, and to other pages of the kernel.
 * If some lead to pages that are to be left out, those pages are not what they seem.
 */
#ifndef NSPLIT_CORE_PAGE_VOTE_H
#define NSPLIT_CORE_PAGE_VOTE_H

#include "core/page_class.h"
#include "core/page_map.h"

enum { PAGE_VOTE_SEEN = 64 };

struct page_vote {
	uint64_t frames, reserved;	/* of the image; those that are PG_reserved */
	uint64_t pointers;		/* to memory that is neither the image nor the memory map */
	/* Pages of each class to which some lead; the first of them by number, to count each once. */
	uint64_t to_class[PAGE_CLASSES];
	uint64_t seen[PAGE_CLASSES][PAGE_VOTE_SEEN];
};

/*
 * Reads the image.  Takes at most as many pointers as POINTERS_MAX in page_vote.c says, so that its
 * time is bounded.  Only failures that end the whole operation are returned.
 */
enum status page_vote_count(struct page_vote *vote, struct page_cursor *c, struct error *e);

#endif
