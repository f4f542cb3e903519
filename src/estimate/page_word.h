// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a running kernel says of a page in /proc/kpageflags: eight bytes for each page frame, from frame 0
 * on (Documentation/admin-guide/mm/pagemap.rst).
 */
#ifndef NSPLIT_ESTIMATE_PAGE_WORD_H
#define NSPLIT_ESTIMATE_PAGE_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "format/classes.h"

/* The first that applies. */
enum page_word {
	WORD_NOPAGE, WORD_HWPOISON, WORD_OFFLINE, WORD_BUDDY, WORD_SLAB, WORD_PGTABLE, WORD_HUGE,
	WORD_ANON, WORD_PRIVATE, WORD_DIRTY, WORD_LRU, WORD_RESERVED, WORD_LARGE, WORD_COMPOUND, WORD_OTHER,
	WORD_NONE, WORDS
};

const char *page_word_name(enum page_word word);

/* The flags of a frame that has no struct page. */
uint64_t page_said_nothing(void);

/* Is the page one of several, and not the first; is it the first? */
bool page_said_tail(uint64_t said);
bool page_said_head(uint64_t said);

/*
 * Of a tail: its flags with those of its head.  Before Linux 6.9, those of a tail are its own and say little.
 */
uint64_t page_said_with_head(uint64_t tail, uint64_t head);

/* Of a page that is no tail, or of page_said_with_head(). */
enum page_word page_word_of_said(uint64_t said);

/*
 * The class in which a capture puts such pages.  Those without a mark are the kernel's; some of them are
 * free, in the list of a CPU (estimate.c).
 */
enum layer_class page_word_class(enum page_word word);

#endif
