// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses the pages that a dump of a set leaves out: page_filter.h, with several threads that read members. */
#ifndef NSPLIT_EXPORT_SET_FILTER_H
#define NSPLIT_EXPORT_SET_FILTER_H

#include "core/kinds/page_filter.h"
#include "export/set_core.h"

/*
 * Applies a filter to the pages of a core that is open, as page_filter_apply() does.  info is that
 * of the core.  Memory of each thread while it runs: that of a struct set_core without the headers
 * and notes, which all threads share: a record, a block, and 256 KiB.
 */
enum status set_filter_apply(struct page_filter *filter, struct pages *pages,
			     const struct set_core *source, const struct vmcoreinfo *info,
			     unsigned threads, unsigned asked, struct error *e);

#endif
