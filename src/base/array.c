// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"

bool array_grow(void *array, size_t count, size_t size)
{
	size_t capacity = count < ARRAY_LEAST ? ARRAY_LEAST : 2 * count;
	void *items, *grown;

	if (count && (count < ARRAY_LEAST || !is_power_of_two(count)))
		return true;
	/* Checked here: the address sanitizer takes an overflow in reallocarray() for a bug. */
	if (count > SIZE_MAX / 2 || capacity > SIZE_MAX / size)
		return false;
	memcpy(&items, array, sizeof(items));
	grown = realloc(items, capacity * size);
	if (grown)
		memcpy(array, &grown, sizeof(grown));
	return grown;
}

struct sought {
	const char *items;
	size_t size;
	uint64_t value;
};

static bool ends_before(const void *arg, size_t i)
{
	const struct sought *s = arg;
	uint64_t span[2];

	memcpy(span, s->items + i * s->size, sizeof(span));
	return span[0] + span[1] <= s->value;
}

size_t spans_find(const void *items, size_t size, size_t count, uint64_t value)
{
	const struct sought sought = { .items = items, .size = size, .value = value };

	return search_first(count, ends_before, &sought);
}

static bool is_up_to(const void *arg, size_t i)
{
	const struct sought *s = arg;
	uint64_t value;

	memcpy(&value, s->items + i * s->size, sizeof(value));
	return value <= s->value;
}

size_t values_up_to(const uint64_t *values, size_t size, size_t count, uint64_t value)
{
	const struct sought sought = { .items = (const char *)values, .size = size, .value = value };

	return search_first(count, is_up_to, &sought);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Without items, there may be no memory. */
void values_sort(void *items, size_t size, size_t count)
{
	if (count)
		qsort(items, count, size, by_value);
}

bool range_list_add(struct range_list *list, uint64_t offset, uint64_t length)
{
	if (!array_grow(&list->ranges, list->count, sizeof(*list->ranges)))
		return false;
	list->ranges[list->count++] = (struct range){ .offset = offset, .length = length };
	return true;
}

bool range_list_extend(struct range_list *list, uint64_t offset, uint64_t length)
{
	struct range *last = list->count ? &list->ranges[list->count - 1] : NULL;

	if (!last || last->offset + last->length != offset)
		return range_list_add(list, offset, length);
	last->length += length;
	return true;
}

void range_list_merge(struct range_list *list)
{
	size_t kept = 0;

	values_sort(list->ranges, sizeof(*list->ranges), list->count);
	for (size_t i = 0; i < list->count; i++) {
		struct range *last = kept ? &list->ranges[kept - 1] : NULL, r = list->ranges[i];

		if (last && r.offset <= last->offset + last->length)
			last->length = max_u64(last->length, r.offset + r.length - last->offset);
		else
			list->ranges[kept++] = r;
	}
	list->count = kept;
}

uint64_t range_list_length(const struct range_list *list)
{
	uint64_t length = 0;

	for (size_t i = 0; i < list->count; i++)
		length += list->ranges[i].length;
	return length;
}

uint64_t range_list_end(const struct range_list *list)
{
	const struct range *last = list->count ? &list->ranges[list->count - 1] : NULL;

	return last ? last->offset + last->length : 0;
}

size_t ranges_find(const struct range *ranges, size_t count, uint64_t offset)
{
	return spans_find(ranges, sizeof(*ranges), count, offset);
}

bool range_list_gap(const struct range_list *list, uint64_t *offset, uint64_t end, uint64_t *length)
{
	size_t i = ranges_find(list->ranges, list->count, *offset);
	uint64_t at = *offset;

	if (i < list->count && list->ranges[i].offset <= at) {
		at = list->ranges[i].offset + list->ranges[i].length;
		i++;
	}
	if (i < list->count)
		end = min_u64(end, list->ranges[i].offset);
	if (at >= end)
		return false;
	*offset = at;
	*length = end - at;
	return true;
}

void range_list_free(struct range_list *list)
{
	free(list->ranges);
	*list = (struct range_list){ 0 };
}
