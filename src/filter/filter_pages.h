// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses the pages of a dump before any of them is captured. */
#ifndef NSPLIT_FILTER_FILTER_PAGES_H
#define NSPLIT_FILTER_FILTER_PAGES_H

#include "core/pages.h"
#include "filter/filter.h"

/*
 * Finds the classes of the whole source with the threads that the filter was started with, decides which of them
 * can be believed, and leaves out of pages those of the others.  table: the plan of filter_plan(); afterwards, what
 * was decided.  after_all and reason are as for filter_judge().  pages are of the same core.
 */
enum status filter_choose_pages(struct filter *f, struct pages *pages, unsigned after_all,
				struct class_table *table, char reason[FILTER_REASON_LENGTH], struct error *e);

#endif
