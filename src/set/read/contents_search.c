// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/read/contents_search.h"

enum { WORD = 64 };			/* granules in a word */

static enum status no_memory(struct error *e)
{
	return error_system(e, ENOMEM, "list of missing ranges");
}

static size_t bits_size(const struct set *set)
{
	return round_up(divide_up(set->cell_size / GRANULE, 8), LEFT_OUT_ALIGN / 8);
}

/* Damage to the cell of a first place was reported, or will be, when that cell is searched itself. */
static void report(void *arg, size_t location, bool first, const struct error *e)
{
	struct contents_search *s = arg;

	if (!first)
		s->damaged(s, location, e);
}

enum status contents_search_init(struct contents_search *s, const struct set *set, struct error *e)
{
	enum status status;

	s->set = set;
	contents_init(&s->found, set);
	status = resolver_init(&s->resolver, set, e);
	s->resolver.by_entries = true;
	s->resolver.damaged = report;
	s->resolver.arg = s;
	s->bits = calloc(1, bits_size(set));
	return status || s->bits ? status : no_memory(e);
}

void contents_search_free(struct contents_search *s)
{
	resolver_free(&s->resolver);
	contents_free(&s->found);
	free(s->bits);
}

/* --- the result ---------------------------------------------------------------- */

static void leave_out(struct contents_search *s, const struct extent *x)
{
	uint64_t i = (x->offset % s->set->cell_size) / GRANULE;
	uint64_t end = i + divide_up(x->length, GRANULE);

	for (; i < end && i % WORD; i++)
		s->bits[i / WORD] |= UINT64_C(1) << i % WORD;
	for (; i + WORD <= end; i += WORD)
		s->bits[i / WORD] = UINT64_MAX;
	for (; i < end; i++)
		s->bits[i / WORD] |= UINT64_C(1) << i % WORD;
	s->any_left_out = true;
}

static enum status note_extent(struct contents_search *s, const struct extent *x, struct error *e)
{
	struct contents *c = &s->found;
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

/* The runs of the only record of the cell, after its head was read. */
static enum status note_runs(struct contents_search *s, const struct set_cell *cell, struct error *e)
{
	struct run_cursor runs = run_cursor_begin(&cell->head.record, cell->head.raw);
	enum status status = STATUS_OK;
	struct run_place place;
	struct extent x;

	while (!status && run_cursor_next(&runs, &place)) {
		cell_extent_of_run(cell->set, cell->first, &place, &x);
		status = note_extent(s, &x, e);
	}
	return status;
}

/* --- cells ----------------------------------------------------------------------- */

static uint64_t cell_of(const struct set *set, size_t i)
{
	return set->map[i]->entry.source_offset / set->cell_size;
}

/*
 * Most cells have one record, with all of their granules, and no second place.  Then its runs are all that is
 * to be known.  i: the first record of the cell.
 */
static bool has_one_record(const struct set *set, size_t i)
{
	const struct index_entry *entry = &set->map[i]->entry;
	uint64_t number = cell_of(set, i), offset = number * set->cell_size;
	uint64_t all = min_u64(set->cell_size, set->source_size - offset), length = all;

	return (i + 1 == set->locations || cell_of(set, i + 1) != number) &&
	       entry->layer == 1 && entry->source_offset == offset && entry->source_length == all &&
	       !second_places_follow(&set->second, &offset, &length) && length == all;
}

/* False: the cell is to be searched in the usual way, which reads a damaged head again, and reports it. */
static bool search_one_record(struct contents_search *s, size_t i, enum status *status, struct error *e)
{
	struct set_cell *cell = &s->resolver.direct.cell;
	struct extent x;

	if (cell_entry_extent(s->set, i, &x)) {
		*status = note_extent(s, &x, e);
		return true;
	}
	s->resolver.direct.number = UINT64_MAX;
	cell_begin(cell, cell_of(s->set, i));
	if (record_head_load(&cell->head, s->set, s->set->map[i], e))
		return false;
	*status = note_runs(s, cell, e);
	return true;
}

static enum status search_cell(struct contents_search *s, uint64_t number, struct error *e)
{
	uint64_t at = number * s->set->cell_size;
	uint64_t end = min_u64(at + s->set->cell_size, s->set->source_size);
	enum status status = STATUS_OK;
	struct extent x;

	for (; at < end && !status; at += x.length) {
		status = resolve(&s->resolver, at, end - at, &x, e);
		if (!status)
			status = note_extent(s, &x, e);
	}
	return status;
}

/* i: its first record; SIZE_MAX: it has none. */
static enum status find_in_cell(struct contents_search *s, uint64_t number, size_t i, struct error *e)
{
	enum status status = STATUS_OK;

	if (s->any_left_out)
		memset(s->bits, 0, bits_size(s->set));
	s->any_left_out = false;
	if (i == SIZE_MAX || !has_one_record(s->set, i) || !search_one_record(s, i, &status, e))
		status = search_cell(s, number, e);
	if (!status && s->any_left_out && !left_out_add(&s->found.left_out, number, s->bits))
		return no_memory(e);
	return status;
}

/* Nothing is known of all bytes from one offset to another. */
static enum status note_gap(struct contents *c, uint64_t from, uint64_t to, struct error *e)
{
	if (from >= to)
		return STATUS_OK;
	c->totals.memory.unknown += to - from;
	return range_list_extend(&c->missing, from, to - from) ? STATUS_OK : no_memory(e);
}

/* Cells without records, which may have second places. */
static enum status search_gap(struct contents_search *s, uint64_t from, uint64_t end, struct error *e)
{
	const struct set *set = s->set;
	enum status status = STATUS_OK;

	while (from < end && !status) {
		uint64_t next = min_u64(cell_number_next(set, from), end);

		status = note_gap(&s->found, from * set->cell_size,
				  min_u64(next * set->cell_size, set->source_size), e);
		if (next < end && !status)
			status = find_in_cell(s, next, SIZE_MAX, e);
		from = next + 1;
	}
	return status;
}

enum status contents_search_rest(struct contents_search *s, struct error *e)
{
	const struct set *set = s->set;
	size_t count = set->locations;

	return search_gap(s, count ? cell_of(set, count - 1) + 1 : 0, cell_number_end(set), e);
}

/* The heads are small, and far from each other, so a disk should know of many of them at once. */
static void announce(const struct set *set, size_t from, size_t end)
{
	struct run ignored;

	for (size_t i = from; i < end; i++) {
		const struct location *location = set->map[i];

		if (!index_entry_describes(&location->entry, &set->classes, &ignored))
			member_announce_read(&set->members[location->member],
					     location->entry.member_offset, ALIGNMENT);
	}
}

enum status contents_search_records(struct contents_search *s, size_t from, size_t end,
				    struct error *e)
{
	const struct set *set = s->set;
	uint64_t next = from ? cell_of(set, from - 1) + 1 : 0;
	enum status status = STATUS_OK;

	announce(set, from, end);
	for (size_t i = from; i < end && !status; i++) {
		uint64_t number = cell_of(set, i);

		if (number < next)
			continue;
		status = search_gap(s, next, number, e);
		if (!status)
			status = find_in_cell(s, number, i, e);
		next = number + 1;
	}
	return status;
}
