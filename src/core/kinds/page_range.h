// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kinds of consecutive page frames.
 *
 * The kind of a frame depends only on the memory map, never on where a range begins or ends: any
 * number of threads may each take ranges of any size, in any order (doc/pages.md).
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_RANGE_H
#define NSPLIT_CORE_KINDS_PAGE_RANGE_H

#include "core/kinds/page_evidence.h"

/*
 * Finds the kinds of count frames, as enum page_kind.  Only a failure that ends the whole operation
 * is returned; what cannot be read is PAGE_UNKNOWN.  Nothing is allocated but for evidence, to which
 * what is noticed is added: of ranges that together are the whole map, each fact once.
 */
enum status page_range_survey(struct page_cursor *c, uint64_t pfn, size_t count, uint8_t *kinds,
			      struct page_evidence *evidence, struct error *e);

/* The same, without evidence. */
enum status page_range_kinds(struct page_cursor *c, uint64_t pfn, size_t count, uint8_t *kinds,
			     struct error *e);

#endif
