// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a kernel said of its pages just before it panicked, in /proc/kpageflags: eight bytes for each page frame, from
 * frame 0 on (Documentation/admin-guide/mm/pagemap.rst).
 *
 * Between this and the core, pages change.  These differences are expected, and no others:
 *	changed		One of both sides says that the page was free, or nothing (as of pages in the lists of a
 *			CPU): it was allocated or freed.  Or both say that it belongs to a file: it was written.
 *			Up to a thousandth of all pages.
 *	given back	The page is free, and the kernel said nothing of it: it was free then, too, but in the list of
 *			a CPU, and nothing shows such pages.  A list is emptied when it has not been used for a second
 *			or two, all of it at once.  Up to a fiftieth.
 *	migrating	The kernel moves pages to other frames for huge ones (compaction), and takes them off the
 *			LRU lists for this.  Now they look like the kernel's own, so they are counted as such,
 *			which is safe; or they were new when the kernel was asked, as are all frames of the huge page, of which
 *			the kernel then said nothing.  Up to a fiftieth.
 */
#ifndef NSPLIT_TESTS_PAGE_WORDS_H
#define NSPLIT_TESTS_PAGE_WORDS_H

#include "core/kinds/page_kind.h"
#include "page_core.h"

/* The first that applies. */
enum page_word {
	WORD_NOPAGE, WORD_HWPOISON, WORD_OFFLINE, WORD_BUDDY, WORD_SLAB, WORD_PGTABLE, WORD_HUGE,
	WORD_ANON, WORD_PRIVATE, WORD_DIRTY, WORD_LRU, WORD_RESERVED, WORD_LARGE, WORD_COMPOUND, WORD_OTHER,
	WORD_NONE, WORDS
};

const char *page_word_name(enum page_word word);

/* flags is the file. */
enum page_word page_word_of(const struct file *flags, uint64_t pfn);

/* A page of this kind may have had this word. */
bool page_word_agrees(enum page_kind kind, enum page_word word);

enum page_change { CHANGE_CHANGED, CHANGE_GIVEN_BACK, CHANGE_MIGRATING, CHANGE_WRONG, CHANGES };

/* Why a page of this kind and this word, which do not agree, has both. */
enum page_change page_change_of(enum page_kind kind, enum page_word word, struct page_core *core,
				uint64_t pfn);

/* No more of all these pages have changed than is expected, and none is wrong. */
bool page_changes_are_few(const uint64_t pages[CHANGES], uint64_t all);

const char *page_change_name(enum page_change change);
/* Ends the line. */
void page_changes_print(const uint64_t pages[CHANGES]);

#endif
