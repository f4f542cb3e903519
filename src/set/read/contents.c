// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "set/read/contents.h"

/* --- what is left out: a bit for each granule of a cell ---------------------------------- */

enum { WORD = 64 };		/* granules */

static size_t bits_size(uint64_t length)
{
	return divide_up(divide_up(length, GRANULE), WORD) * sizeof(uint64_t);
}

/* The first granule from this one on that is left out, or is not; count if there is none. */
static uint64_t next_granule(const uint64_t *bits, uint64_t i, uint64_t count, bool left_out)
{
	while (i < count) {
		uint64_t word = (left_out ? bits[i / WORD] : ~bits[i / WORD]) & UINT64_MAX << i % WORD;

		i = round_down(i, WORD);
		if (word)
			return min_u64(count, i + (uint64_t)__builtin_ctzll(word));
		i += WORD;
	}
	return count;
}

static bool left_out_add(struct contents *c, uint64_t offset, uint64_t length, const uint64_t *bits)
{
	struct left_out_cell cell = { .offset = offset, .length = length };
	uint64_t count = divide_up(length, GRANULE);

	if (!array_grow(&c->left_out, c->left_out_count, sizeof(*c->left_out)))
		return false;
	if (next_granule(bits, 0, count, false) < count) {
		cell.bits = malloc(bits_size(length));
		if (!cell.bits)
			return false;
		memcpy(cell.bits, bits, bits_size(length));
	}
	c->left_out[c->left_out_count++] = cell;
	return true;
}

/* In one cell, from the byte at *offset of the source on. */
static bool next_in_cell(const struct left_out_cell *cell, uint64_t *offset, uint64_t *length)
{
	uint64_t from = *offset > cell->offset ? *offset - cell->offset : 0, to = cell->length;

	if (cell->bits) {
		uint64_t count = divide_up(cell->length, GRANULE);
		uint64_t first = next_granule(cell->bits, from / GRANULE, count, true);

		if (first == count)
			return false;
		from = max_u64(from, first * GRANULE);
		to = min_u64(cell->length, next_granule(cell->bits, first, count, false) * GRANULE);
	}
	*offset = cell->offset + from;
	*length = to - from;
	return true;
}

bool contents_next_left_out(const struct contents *c, uint64_t *offset, uint64_t *length)
{
	for (size_t i = spans_find(c->left_out, sizeof(*c->left_out), c->left_out_count, *offset); i < c->left_out_count; i++)
		if (next_in_cell(&c->left_out[i], offset, length))
			return true;
	return false;
}

/* --- the contents ---------------------------------------------------------------------- */

void contents_free(struct contents *c)
{
	while (c->left_out_count)
		free(c->left_out[--c->left_out_count].bits);
	free(c->left_out);
	range_list_free(&c->missing);
	range_list_free(&c->unreadable);
	*c = (struct contents){ 0 };
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

/* The search for the contents of a set.  It reads the heads of records, unless their index entries say as much. */
struct search {
	const struct contents_watch *watch;
	const struct set *set;		/* borrowed */
	struct contents *found;
	struct resolver resolver;
	uint64_t *bits;			/* of the granules of the cell that are left out; owned */
	bool any_left_out;
	size_t announced;		/* records of the map whose heads were announced to the disk */
	double told;			/* when searching() was called */
};

static enum status no_memory(struct error *e)
{
	return error_system(e, ENOMEM, "list of missing ranges");
}

/* Damage to the cell of a first place was reported, or will be, when that cell is searched itself. */
static void report_damage(void *arg, size_t location, bool first, const struct error *e)
{
	const struct search *s = arg;

	if (!first && s->watch->damaged)
		s->watch->damaged(s->watch->arg, location, e);
}

/* --- the result ---------------------------------------------------------------- */

static void leave_out(struct search *s, const struct extent *x)
{
	uint64_t i = (x->offset % s->set->cell_size) / GRANULE;
	uint64_t end = i + divide_up(x->length, GRANULE);

	for (; i < end; i++)
		s->bits[i / WORD] |= UINT64_C(1) << i % WORD;
	s->any_left_out = true;
}

static enum status note_extent(struct search *s, const struct extent *x, struct error *e)
{
	struct contents *c = s->found;
	bool noted = true;

	layer_totals_count(&c->totals, x, x->length);
	if (x->kind == EXTENT_LEFT_OUT)
		leave_out(s, x);
	else if (x->kind == EXTENT_UNREADABLE)
		noted = range_list_extend(&c->unreadable, x->offset, x->length);
	else if (extent_is_missing(x))
		noted = range_list_extend(&c->missing, x->offset, x->length);
	return noted ? STATUS_OK : no_memory(e);
}

/* --- cells ----------------------------------------------------------------------- */

static enum status search_cell(struct search *s, uint64_t number, struct error *e)
{
	uint64_t begin = number * s->set->cell_size;
	uint64_t end = min_u64(begin + s->set->cell_size, s->set->source_size);
	enum status status = STATUS_OK;
	struct extent x;

	if (s->any_left_out)
		memset(s->bits, 0, bits_size(s->set->cell_size));
	s->any_left_out = false;
	for (uint64_t at = begin; at < end && !status; at += x.length) {
		status = resolve(&s->resolver, at, end - at, &x, e);
		if (!status)
			status = note_extent(s, &x, e);
	}
	if (!status && s->any_left_out && !left_out_add(s->found, begin, end - begin, s->bits))
		return no_memory(e);
	return status;
}

/* The heads are small, and far from each other, so a disk should know of many of them at once. */
static void announce(const struct set *set, size_t from, size_t end)
{
	struct run ignored;

	for (size_t i = from; i < end && i < set->locations; i++) {
		const struct location *location = set->map[i];

		if (!index_entry_describes(&location->entry, &set->classes, &ignored))
			posix_fadvise(set->members[location->member].fd, (off_t)location->entry.member_offset, ALIGNMENT,
				      POSIX_FADV_WILLNEED);
	}
}

/* Before a cell is searched, whose first record is number i in the map. */
static void go_on(struct search *s, size_t i)
{
	enum { BATCH = 64 };		/* records that are announced to the disk together */

	if (i + BATCH <= s->announced)
		return;
	announce(s->set, s->announced, i + 2 * BATCH);
	s->announced = i + 2 * BATCH;
	if (!s->watch->searching || clock_seconds() - s->told < s->watch->interval)
		return;
	s->told = clock_seconds();
	s->watch->searching(s->watch->arg, i, s->set->locations);
}

/* All cells, in the order of the source. */
static enum status search_all(struct search *s, struct error *e)
{
	const struct set *set = s->set;
	uint64_t end = cell_number_end(set), next;
	enum status status = STATUS_OK;

	for (uint64_t from = 0; from < end && !status; from = next + 1) {
		uint64_t begin = from * set->cell_size, to;

		next = cell_number_next(set, from);
		to = min_u64(next * set->cell_size, set->source_size);
		/* Nothing is known of all bytes between. */
		if (begin < to) {
			s->found->totals.memory.unknown += to - begin;
			if (!range_list_extend(&s->found->missing, begin, to - begin))
				return no_memory(e);
		}
		if (next == end)
			break;
		go_on(s, set_find_cell(set, next));
		status = search_cell(s, next, e);
	}
	return status;
}

enum status contents_find(struct contents *c, const struct set *set,
			  const struct contents_watch *watch, struct error *e)
{
	struct search s = { .watch = watch, .set = set, .found = c, .told = clock_seconds() };
	enum status status = resolver_init(&s.resolver, set, e);

	*c = (struct contents){ 0 };
	s.resolver.by_entries = true;
	s.resolver.damaged = report_damage;
	s.resolver.arg = &s;
	s.bits = calloc(1, bits_size(set->cell_size));
	if (!status)
		status = s.bits ? search_all(&s, e) : no_memory(e);
	if (watch->searching)
		watch->searching(watch->arg, set->locations, set->locations);
	resolver_free(&s.resolver);
	free(s.bits);
	return status;
}
