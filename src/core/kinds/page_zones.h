// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many free blocks the kernel itself counts, of each order: in nr_free of struct free_area, of
 * which each zone has an array (include/linux/mmzone.h).
 *
 * Zones are found by the free blocks, which are in lists that begin there.  So this needs none of the
 * symbols that lead to zones, which arm64 does not export.  A zone without free blocks is not found,
 * and has none to count.
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_ZONES_H
#define NSPLIT_CORE_KINDS_PAGE_ZONES_H

#include "core/kinds/page_range.h"

struct page_zones {
	unsigned count;
	uint64_t blocks[PAGE_ORDERS_MAX];
};

/*
 * A structure that does not look like a zone is not counted.  Only failures that end the whole operation are
 * returned.
 */
enum status page_zones_find(struct page_zones *zones, const struct page_map *map,
			    const struct virt *virt, const struct page_evidence *evidence, struct error *e);

#endif
