// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/search.h"
#include "core/segments.h"

static int by_first(const void *a, const void *b)
{
	const struct segment_range *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Sorts the ranges and builds the tree over them. */
static enum status make_index(struct segment_index *x, struct error *e)
{
	for (x->leaves = 1; x->leaves <= x->count;)
		x->leaves *= 2;
	x->highest = calloc(2 * x->leaves, sizeof(*x->highest));
	if (!x->highest)
		return error_system(e, ENOMEM, "%zu segments", x->count);
	qsort(x->ranges, x->count, sizeof(*x->ranges), by_first);
	for (size_t i = 0; i < x->count; i++)
		x->highest[x->leaves + i] = x->ranges[i].last;
	for (size_t i = x->leaves - 1; i > 0; i--)
		x->highest[i] = max_u64(x->highest[2 * i], x->highest[2 * i + 1]);
	return STATUS_OK;
}

static enum status allocate(struct segment_index *x, size_t count, struct error *e)
{
	*x = (struct segment_index){ 0 };
	x->ranges = calloc(count + 1, sizeof(*x->ranges));
	return x->ranges ? STATUS_OK : error_system(e, ENOMEM, "%zu segments", count);
}

/* A range that would extend beyond the last address ends there. */
static void add(struct segment_index *x, const struct segment *s, uint64_t first, uint64_t length)
{
	if (length)
		x->ranges[x->count++] = (struct segment_range){
			.segment = s,
			.first = first,
			.last = length - 1 > UINT64_MAX - first ? UINT64_MAX : first + length - 1,
		};
}

static enum status index_segments(struct segment_index *x, const struct segment *segments,
				  size_t count, bool physical, struct error *e)
{
	enum status status = allocate(x, count, e);

	if (status)
		return status;
	for (const struct segment *s = segments; s < segments + count; s++)
		add(x, s, physical ? s->paddr : s->vaddr, physical ? s->memsz : s->filesz);
	return make_index(x, e);
}

enum status segment_index_physical(struct segment_index *x, const struct segment *segments,
				   size_t count, struct error *e)
{
	return index_segments(x, segments, count, true, e);
}

enum status segment_index_virtual(struct segment_index *x, const struct segment *segments,
				  size_t count, struct error *e)
{
	return index_segments(x, segments, count, false, e);
}

void segment_index_free(struct segment_index *x)
{
	free(x->ranges);
	free(x->highest);
	*x = (struct segment_index){ 0 };
}

struct sought {
	const struct segment_index *index;
	uint64_t address;
};

static bool begins_up_to(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->index->ranges[i].first <= s->address;
}

size_t segment_index_up_to(const struct segment_index *x, uint64_t address)
{
	const struct sought sought = { .index = x, .address = address };

	return search_first(x->count, begins_up_to, &sought);
}

/*
 * Goes up from the leaf after the first count, until the node on its left has a range that ends
 * late enough, and then down to the last such leaf.
 */
bool segment_index_last(const struct segment_index *x, size_t count, uint64_t address, size_t *at)
{
	size_t node = x->leaves + count;

	/* A node at the left edge has no node on its left. */
	while (!(node & 1) || x->highest[node - 1] < address) {
		if (is_power_of_two(node))
			return false;
		node /= 2;
	}
	/* An odd node that is a power of two is the root. */
	if (node == 1)
		return false;
	node--;
	while (node < x->leaves)
		node = 2 * node + (x->highest[2 * node + 1] >= address);
	*at = node - x->leaves;
	return true;
}
