// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/search.h"
#include "format/format.h"
#include "set/contents.h"

enum { WORD = 64 };			/* granules in a word */

void contents_free(struct contents *c)
{
	for (size_t i = 0; i < c->cells_count; i++)
		free(c->cells[i].granules);
	free(c->cells);
	range_list_free(&c->missing);
	range_list_free(&c->unreadable);
	*c = (struct contents){ 0 };
}

/* --- what is left out ------------------------------------------------------------ */

struct sought {
	const struct contents *c;
	uint64_t number;
};

static bool is_before(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->c->cells[i].number < s->number;
}

/* The first granule from this one on, below end, that is left out, or is not; end if there is none. */
static uint64_t next_granule(const uint64_t *bits, uint64_t i, uint64_t end, bool left_out)
{
	while (i < end) {
		uint64_t word = (left_out ? bits[i / WORD] : ~bits[i / WORD]) & UINT64_MAX << i % WORD;

		i = round_down(i, WORD);
		if (word)
			return min_u64(end, i + (uint64_t)__builtin_ctzll(word));
		i += WORD;
	}
	return end;
}

/* In one cell, from the byte at *offset of it on. */
static bool next_in_cell(const struct contents *c, const struct left_out_cell *cell,
			 uint64_t *offset, uint64_t *length)
{
	uint64_t begin = cell->number * c->cell_size;
	uint64_t size = min_u64(c->cell_size, c->source_size - begin);
	uint64_t from = *offset > begin ? *offset - begin : 0;
	uint64_t end = size;

	if (from >= size)
		return false;
	if (cell->granules) {
		uint64_t count = divide_up(size, GRANULE);
		uint64_t first = next_granule(cell->granules, from / GRANULE, count, true);

		if (first == count)
			return false;
		from = max_u64(from, first * GRANULE);
		end = min_u64(size, next_granule(cell->granules, first, count, false) * GRANULE);
	}
	*offset = begin + from;
	*length = end - from;
	return true;
}

bool contents_next_left_out(const struct contents *c, uint64_t *offset, uint64_t *length)
{
	const struct sought sought = { .c = c, .number = *offset / c->cell_size };
	size_t i = search_first(c->cells_count, is_before, &sought);

	for (; i < c->cells_count; i++)
		if (next_in_cell(c, &c->cells[i], offset, length))
			return true;
	return false;
}

bool contents_not_there(const struct contents *c, struct range_list *list)
{
	const struct range_list *parts[] = { &c->missing, &c->unreadable };

	*list = (struct range_list){ 0 };
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (size_t n = 0; n < parts[i]->count; n++)
			if (!range_list_add(list, parts[i]->ranges[n].offset, parts[i]->ranges[n].length))
				return false;
	range_list_sort(list);
	range_list_merge(list);
	return true;
}
