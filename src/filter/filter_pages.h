// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses the pages of a dump before any of them is captured. */
#ifndef NSPLIT_FILTER_FILTER_PAGES_H
#define NSPLIT_FILTER_FILTER_PAGES_H

#include "core/pages.h"
#include "filter/filter.h"

/* How the pages are chosen, and what was decided. */
struct filter_choice {
	/* In: */
	struct filter *filter;		/* borrowed, like pages, as long as they are used */
	struct pages *pages;		/* of the same core */
	unsigned threads;		/* of the filter, from number first_thread on, which nobody else uses meanwhile */
	unsigned first_thread;
	unsigned after_all;		/* as for filter_judge() */
	/*
	 * Pages in a part (core/kinds/page_parts.h).  0: there is a bit for each page.  Otherwise *this stays where it is,
	 * with its threads, as long as the pages are used.
	 */
	uint64_t part;
	/* A part is lost, with this number of pages to be kept, at physical addresses from begin to end - 1. */
	void (*lost)(void *arg, uint64_t begin, uint64_t end, uint64_t kept);
	void *arg;
	/* In and out: the plan of filter_plan(); afterwards, what was decided. */
	struct class_table table;
	/* Out: */
	char reason[FILTER_REASON_LENGTH];	/* as for filter_judge() */
	/* Private: */
	uint8_t *classes;		/* of a unit, for each thread; owned */
};

/*
 * Finds the classes of the whole source, decides which of them can be believed, and leaves out of pages those of the
 * others.  Call filter_choice_free() in any case; the pages are then not to be used any more, if there are parts.
 */
enum status filter_choose_pages(struct filter_choice *c, struct error *e);
void filter_choice_free(struct filter_choice *c);

#endif
