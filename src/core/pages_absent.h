// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages that were left out when the source was captured; for pages_find.c. */
#ifndef NSPLIT_CORE_PAGES_ABSENT_H
#define NSPLIT_CORE_PAGES_ABSENT_H

#include "core/pages.h"

/*
 * What was left out of memory that is in the source more than once, and is perhaps in another place: a
 * sorted list of few ranges.  pages->stored must be known.  Call range_list_free() in any case.
 */
enum status absent_in_shared(struct range_list *list, const struct pages *pages,
			     const struct absent *absent, struct error *e);

/* Leaves out all pages with bytes that were left out, after the pages were found. */
enum status absent_leave_out(struct pages *pages, const struct absent *absent, struct error *e);

#endif
