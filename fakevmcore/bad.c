// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "bad.h"
#include "decimal.h"

/* Returns the end of the range, at a comma or the end of the text; NULL if it is not a range. */
static const char *parse_range(const char *text, struct bad_range *range)
{
	text = decimal_parse(text, &range->first);
	range->last = range->first;
	if (text && *text == '-')
		text = decimal_parse(text + 1, &range->last);
	return text && (*text == ',' || !*text) ? text : NULL;
}

bool bad_check(const char *text, u64 pages, char why[BAD_WHY])
{
	struct bad_range range;
	const char *end;
	int len;

	if (!*text)
		return true;
	do {
		/* Escaped and truncated, so that the message stays on one line of the log. */
		len = min_t(size_t, strcspn(text, ","), 40);
		end = parse_range(text, &range);
		if (!end) {
			snprintf(why, BAD_WHY,
				 "'%*pE' is not a page or a range such as 10-19", len, text);
			return false;
		}
		if (range.first > range.last) {
			snprintf(why, BAD_WHY, "'%*pE' ends before it begins", len, text);
			return false;
		}
		if (range.last >= pages) {
			snprintf(why, BAD_WHY, "'%*pE' is beyond the last page, %llu", len,
				 text, pages - 1);
			return false;
		}
		text = end + 1;
	} while (*end);
	return true;
}

static size_t count_ranges(const char *text)
{
	size_t count = *text ? 1 : 0;

	for (; *text; text++)
		count += *text == ',';
	return count;
}

static int compare_first(const void *a, const void *b)
{
	const struct bad_range *x = a, *y = b;

	if (x->first == y->first)
		return 0;
	return x->first < y->first ? -1 : 1;
}

/* Merges ranges that overlap or are adjacent; returns the number of ranges left. */
static size_t merge(struct bad_range *ranges, size_t count)
{
	size_t i, last = 0;

	for (i = 1; i < count; i++) {
		if (ranges[i].first > ranges[last].last + 1)
			ranges[++last] = ranges[i];
		else if (ranges[i].last > ranges[last].last)
			ranges[last].last = ranges[i].last;
	}
	return last + 1;
}

int bad_make(struct bad_list *list, const char *text)
{
	size_t i, count = count_ranges(text);

	list->ranges = NULL;
	list->count = 0;
	if (!count)
		return 0;
	list->ranges = kvmalloc_array(count, sizeof(*list->ranges),
				      GFP_KERNEL | __GFP_NOWARN);
	if (!list->ranges)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		text = parse_range(text, &list->ranges[i]) + 1;
	sort(list->ranges, count, sizeof(*list->ranges), compare_first, NULL);
	list->count = merge(list->ranges, count);
	return 0;
}

void bad_free(struct bad_list *list)
{
	kvfree(list->ranges);
}

const struct bad_range *bad_find(const struct bad_list *list, u64 page)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->ranges[middle].last < page)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count ? &list->ranges[low] : NULL;
}
