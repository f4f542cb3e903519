// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/cell.h"

enum status cell_init(struct cell *c, const struct set *set, struct error *e)
{
	*c = (struct cell){ .set = set };
	c->granules = calloc(set->cell_size / GRANULE, sizeof(*c->granules));
	if (!c->granules)
		return error_system(e, ENOMEM, "granules of a cell");
	return record_head_init(&c->head, set, e);
}

void cell_free(struct cell *c)
{
	record_head_free(&c->head);
	free(c->granules);
	c->granules = NULL;
}

uint64_t cell_number_end(const struct set *set)
{
	return divide_up(set->source_size, set->cell_size);
}

void cell_begin(struct cell *c, uint64_t number)
{
	const struct set *set = c->set;

	c->offset = number * set->cell_size;
	c->length = (uint32_t)min_u64(set->cell_size, set->source_size - c->offset);
	c->count = (uint32_t)divide_up(c->length, GRANULE);
	c->first = set_find_cell(set, number);
	c->end = set_find_cell(set, number + 1);
	c->head_of = SIZE_MAX;
	memset(c->granules, 0, c->count * sizeof(*c->granules));
}

/* --- the rules of section 18 ------------------------------------------------- */

static bool is_left_out(const struct cell *c, unsigned class_number)
{
	return class_state(&c->set->classes, class_number) == CLASS_LEFT_OUT;
}

static enum granule_state state_of(const struct run_place *place, bool whole)
{
	switch (place->run.kind) {
	case RUN_STORED:
		return whole ? GRANULE_STORED : GRANULE_DAMAGED;
	case RUN_ALIAS:
		return GRANULE_ALIAS;
	case RUN_UNREADABLE:
		return GRANULE_UNREADABLE;
	case RUN_NAMED:
		return GRANULE_NAMED;
	default:
		return GRANULE_UNKNOWN;
	}
}

static bool outweighs(const struct cell *c, enum granule_state state, unsigned class_number,
		      const struct granule *g)
{
	/* Rule 5: left out only if it is so by all records. */
	if (state == GRANULE_NAMED && g->state == GRANULE_NAMED)
		return is_left_out(c, g->class_number) && !is_left_out(c, class_number);
	return state > g->state;
}

static void add_run(struct cell *c, uint32_t record, const struct run_place *place, bool whole)
{
	struct granule *g = &c->granules[(place->offset - c->offset) / GRANULE];
	enum granule_state state = state_of(place, whole);
	unsigned class_number = place->run.class_number;

	if (state == GRANULE_UNKNOWN)
		return;
	for (uint32_t i = 0; i < place->run.granules; i++, g++) {
		/* Nearly always, no other record has said anything. */
		if (g->state != GRANULE_UNKNOWN && !outweighs(c, state, class_number, g))
			continue;
		g->state = state & 15;
		g->class_number = class_number & 15;
		g->record = record & (CELL_RECORDS_MAX - 1);
	}
}

void cell_add(struct cell *c, size_t i, const struct record *record, const uint8_t *raw,
	      bool whole)
{
	struct run_cursor runs = run_cursor_begin(record, raw);
	struct run_place place;

	while (run_cursor_next(&runs, &place))
		add_run(c, (uint32_t)(i - c->first), &place, whole);
}

bool cell_entry_run(const struct cell *c, size_t i, struct run_place *place)
{
	const struct location *location = c->set->map[i];
	const struct index_entry *entry = &location->entry;

	*place = (struct run_place){ .offset = entry->source_offset, .length = entry->source_length };
	/* Entries that a search has made are not checked as much. */
	return c->set->members[location->member].has_index &&
	       index_entry_describes(entry, &c->set->classes, &place->run);
}

bool cell_add_entry(struct cell *c, size_t i)
{
	struct run_place place;
	bool described = cell_entry_run(c, i, &place);

	if (described)
		add_run(c, (uint32_t)(i - c->first), &place, true);
	return described;
}

enum status cell_load_head(struct cell *c, size_t i, struct error *e)
{
	enum status status = STATUS_OK;

	if (c->head_of != i) {
		c->head_of = SIZE_MAX;
		c->run.length = 0;
		status = record_head_load(&c->head, c->set, c->set->map[i], e);
	}
	if (!status)
		c->head_of = i;
	return status;
}

void cell_add_damaged(struct cell *c, size_t i)
{
	struct error ignored;

	if (!cell_load_head(c, i, &ignored))
		cell_add(c, i, &c->head.record, c->head.raw, false);
}

enum status cell_add_head(struct cell *c, size_t i, struct error *e)
{
	enum status status = cell_load_head(c, i, e);

	if (!status)
		cell_add(c, i, &c->head.record, c->head.raw, true);
	return status;
}

/* --- aliases ----------------------------------------------------------------- */

enum status cell_find_run(struct cell *c, size_t i, uint64_t offset, struct run_place *place,
			  struct error *e)
{
	enum status status = cell_load_head(c, i, e);
	struct run_cursor runs;

	if (status)
		return status;
	if (!run_place_has(&c->run, offset)) {
		runs = run_cursor_begin(&c->head.record, c->head.raw);
		while (run_cursor_next(&runs, &c->run) && !run_place_has(&c->run, offset))
			;
	}
	*place = c->run;
	return STATUS_OK;
}

enum status cell_find_target(struct cell *c, size_t i, uint64_t offset, size_t *len,
			     uint64_t *target, struct error *e)
{
	uint64_t size = c->set->source_size, whole = round_down(size, GRANULE);
	struct run_place place;
	enum status status = cell_find_run(c, i, offset, &place, e);

	if (status)
		return status;
	*target = place.run.target + (offset - place.offset);
	*len = min_u64(*len, place.offset + place.length - offset);
	if (place.run.target + place.length <= size)
		return STATUS_OK;
	/* Only its last granule may be shorter, and then only that is an alias of the last of all. */
	if (*target < whole)
		*len = min_u64(*len, whole - *target);
	else
		*target = size;
	return STATUS_OK;
}

void cell_set_state(struct cell *c, uint64_t offset, uint64_t length, enum granule_state state)
{
	uint64_t first = (offset - c->offset) / GRANULE;
	uint64_t end = divide_up(offset + length - c->offset, GRANULE);

	for (uint64_t i = first; i < end; i++)
		c->granules[i].state = state & 15;
}

/* --- the result -------------------------------------------------------------- */

static enum content content_of(const struct cell *c, const struct granule *g)
{
	switch (g->state) {
	case GRANULE_STORED:
		return CONTENT_STORED;
	case GRANULE_ALIAS:
		return CONTENT_ALIAS;
	case GRANULE_UNREADABLE:
		return CONTENT_UNREADABLE;
	case GRANULE_NAMED:
		return is_left_out(c, g->class_number) ? CONTENT_LEFT_OUT : CONTENT_MISSING;
	default:
		return CONTENT_MISSING;
	}
}

void cell_part_of_run(const struct cell *c, size_t i, const struct run_place *place,
		      struct cell_part *part)
{
	const struct granule g = {
		.state = state_of(place, true) & 15,
		.class_number = place->run.class_number & 15,
		.record = (uint32_t)(i - c->first) & (CELL_RECORDS_MAX - 1),
	};

	*part = (struct cell_part){
		.content = content_of(c, &g),
		.state = (enum granule_state)g.state,
		.class_number = g.class_number,
		.record = i,
		.offset = place->offset,
		.length = place->length,
	};
}

static bool is_same(const struct cell *c, const struct granule *a, const struct granule *b)
{
	/* First, what most granules need. */
	if (!memcmp(a, b, sizeof(*a)))
		return true;
	if (a->state != b->state || a->class_number != b->class_number ||
	    content_of(c, a) != content_of(c, b))
		return false;
	/* Of the others, nobody wants to know which record it was. */
	return a->state < GRANULE_DAMAGED || a->record == b->record;
}

bool cell_part(const struct cell *c, uint64_t offset, uint64_t to, struct cell_part *part)
{
	uint64_t first = (offset - c->offset) / GRANULE, end = first + 1, most;
	const struct granule *g;

	if (offset >= c->offset + c->length)
		return false;
	g = &c->granules[first];
	most = divide_up(min_u64(to, c->offset + c->length) - c->offset, GRANULE);
	while (end < most && is_same(c, g, &c->granules[end]))
		end++;
	*part = (struct cell_part){
		.content = content_of(c, g),
		.state = (enum granule_state)g->state,
		.class_number = g->class_number,
		.record = c->first + g->record,
		.offset = c->offset + first * GRANULE,
		.length = (uint32_t)(min_u64(end * GRANULE, c->length) - first * GRANULE),
	};
	return true;
}
