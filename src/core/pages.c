// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/search.h"
#include "core/pages.h"

void pages_free(struct pages *pages)
{
	free(pages->ram);
	free(pages->ranges);
	free(pages->by_offset);
	*pages = (struct pages){ 0 };
}

struct sought_pfn {
	const struct page_range *ranges;
	uint64_t pfn;
};

static bool ends_before_pfn(const void *arg, size_t i)
{
	const struct sought_pfn *s = arg;

	return s->ranges[i].pfn + s->ranges[i].count <= s->pfn;
}

size_t page_ranges_from(const struct page_range *ranges, size_t count, uint64_t pfn)
{
	const struct sought_pfn sought = { .ranges = ranges, .pfn = pfn };

	return search_first(count, ends_before_pfn, &sought);
}

uint64_t pages_rank(const struct pages *pages, uint64_t pfn)
{
	size_t i = page_ranges_from(pages->ranges, pages->ranges_count, pfn);
	const struct page_range *range = &pages->ranges[i];

	if (i == pages->ranges_count)
		return pages->count;
	return range->rank + (pfn > range->pfn ? pfn - range->pfn : 0);
}

struct sought {
	const struct pages *pages;
	uint64_t value;
};

static bool begins_up_to_rank(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->pages->ranges[i].rank <= s->value;
}

const struct page_range *pages_of_rank(const struct pages *pages, uint64_t rank)
{
	const struct sought sought = { .pages = pages, .value = rank };
	size_t after = search_first(pages->ranges_count, begins_up_to_rank, &sought);

	return &pages->ranges[after - 1];
}

static bool ends_before_offset(const void *arg, size_t i)
{
	const struct sought *s = arg;
	const struct page_range *range = s->pages->by_offset[i];

	return range->offset + range->count * s->pages->page_size <= s->value;
}

size_t pages_from_offset(const struct pages *pages, uint64_t offset)
{
	const struct sought sought = { .pages = pages, .value = offset };

	return search_first(pages->by_offset_count, ends_before_offset, &sought);
}
