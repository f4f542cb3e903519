// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/array.h"
#include "core/page_list.h"

bool page_list_add(struct page_list *list, struct page_range range)
{
	if (!range.count)
		return true;
	if (!array_grow(&list->ranges, list->count, sizeof(*list->ranges)))
		return false;
	list->ranges[list->count++] = range;
	return true;
}

static int by_pfn(const void *a, const void *b)
{
	const struct page_range *x = a, *y = b;

	return x->pfn < y->pfn ? -1 : x->pfn > y->pfn;
}

void page_list_sort(struct page_list *list)
{
	if (list->count)
		qsort(list->ranges, list->count, sizeof(*list->ranges), by_pfn);
}

void page_list_remove_overlaps(struct page_list *list, uint32_t page_size)
{
	uint64_t covered = 0;
	size_t kept = 0;

	page_list_sort(list);
	for (size_t i = 0; i < list->count; i++) {
		struct page_range r = list->ranges[i];
		uint64_t skipped = covered > r.pfn ? covered - r.pfn : 0;

		if (skipped >= r.count)
			continue;
		r.pfn += skipped;
		r.count -= skipped;
		r.offset += skipped * page_size;
		covered = r.pfn + r.count;
		list->ranges[kept++] = r;
	}
	list->count = kept;
}

bool page_list_has(const struct page_list *list, uint64_t pfn)
{
	size_t i = page_ranges_from(list->ranges, list->count, pfn);

	return i < list->count && list->ranges[i].pfn <= pfn;
}
