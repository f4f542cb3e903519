// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kinds of consecutive page frames.
 *
 * The kind of a frame depends only on the memory map, never on where a range begins or ends: any
 * number of threads may each take ranges of any size, in any order (doc/pages.md).
 */
#ifndef NSPLIT_CORE_PAGE_RANGE_H
#define NSPLIT_CORE_PAGE_RANGE_H

#include "core/page_kind.h"
#include "core/page_map.h"

/*
 * Finds the kinds of count frames, as enum page_kind.  Only a failure that ends the whole operation
 * is returned; what cannot be read is PAGE_UNKNOWN.  Nothing is allocated.
 */
enum status page_range_kinds(struct page_cursor *c, uint64_t pfn, size_t count, uint8_t *kinds,
			     struct error *e);

#endif
