// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "set/cell.h"
#include "set/contents.h"

enum { WORD = 64 };			/* granules in a word */

/* Two cells at a time: an alias may lead from one to any other. */
struct search {
	struct contents *c;
	const struct set *set;
	const struct contents_watch *watch;
	struct cell cell, target;
	uint64_t target_number;		/* of the cell in target; UINT64_MAX: none */
	size_t capacity;		/* of c->cells */
};

static enum status no_memory(struct error *e)
{
	return error_system(e, ENOMEM, "list of missing ranges");
}

/* It was reported, or will be, when its own cell is searched. */
static void ignore_damage(void *arg, const struct error *e)
{
	(void)arg;
	(void)e;
}

/* --- aliases ----------------------------------------------------------------- */

/* What the byte at offset is; *length is reduced to the bytes that are the same. */
static enum status find_target(struct search *s, uint64_t offset, size_t *length,
			       enum content *content, struct error *e)
{
	uint64_t number = offset / s->set->cell_size;
	struct cell_part part;
	enum status status;

	*content = CONTENT_MISSING;
	if (offset >= s->set->source_size)
		return STATUS_OK;
	if (s->target_number != number) {
		s->target_number = UINT64_MAX;
		status = cell_collect(&s->target, number, ignore_damage, NULL, e);
		if (status)
			return status;
		s->target_number = number;
	}
	cell_part(&s->target, offset, offset + *length, &part);
	*length = min_u64(*length, part.offset + part.length - offset);
	*content = part.content;
	return STATUS_OK;
}

/* Rule 2: an alias is as its target, which must be stored. */
static enum status resolve_alias(struct search *s, const struct cell_part *alias, struct error *e)
{
	uint64_t end = alias->offset + alias->length, target;
	enum status status = STATUS_OK;
	size_t len;

	for (uint64_t at = alias->offset; at < end && !status; at += len) {
		enum content content = CONTENT_MISSING;

		len = end - at;
		status = cell_find_target(&s->cell, alias->record, at, &len, &target, e);
		if (!status)
			status = find_target(s, target, &len, &content, e);
		if (status && status != STATUS_NO_MEMORY) {
			/* The head of the record could be read a moment ago. */
			s->watch->damaged(s->watch->arg, alias->record, e);
			status = STATUS_OK;
		}
		if (content != CONTENT_STORED)
			cell_set_state(&s->cell, at, len, content == CONTENT_UNREADABLE ?
				       GRANULE_UNREADABLE : GRANULE_UNKNOWN);
	}
	return status;
}

/* Those of the record at index i of the map. */
static enum status resolve_aliases_of(struct search *s, size_t i, struct error *e)
{
	uint64_t at = s->set->map[i]->entry.source_offset, end = location_end(s->set->map[i]);
	enum status status = STATUS_OK;
	struct cell_part part;

	for (; at < end && !status && cell_part(&s->cell, at, end, &part);
	     at = part.offset + part.length)
		if (part.content == CONTENT_ALIAS && part.record == i)
			status = resolve_alias(s, &part, e);
	return status;
}

/* Record by record: the targets of one are close to each other. */
static enum status resolve_aliases(struct search *s, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = s->cell.first; i < s->cell.end && !status; i++)
		if (s->set->map[i]->entry.named & INDEX_HAS_ALIASES)
			status = resolve_aliases_of(s, i, e);
	return status;
}

/* --- the result ---------------------------------------------------------------- */

static struct left_out_cell *add_cell(struct search *s, uint64_t number)
{
	struct contents *c = s->c;

	if (c->cells_count == s->capacity) {
		size_t capacity = s->capacity ? 2 * s->capacity : 64;
		struct left_out_cell *cells = realloc(c->cells, capacity * sizeof(*cells));

		if (!cells)
			return NULL;
		c->cells = cells;
		s->capacity = capacity;
	}
	c->cells[c->cells_count] = (struct left_out_cell){ .number = number };
	return &c->cells[c->cells_count++];
}

static void set_bits(uint64_t *bits, uint64_t first, uint64_t end)
{
	for (; first < end; first++)
		bits[first / WORD] |= UINT64_C(1) << first % WORD;
}

static enum status leave_out(struct search *s, const struct cell_part *part, struct error *e)
{
	uint64_t number = s->cell.offset / s->set->cell_size, words = divide_up(s->cell.count, WORD);
	uint64_t first = (part->offset - s->cell.offset) / GRANULE;
	struct contents *c = s->c;
	struct left_out_cell *cell = c->cells_count ? &c->cells[c->cells_count - 1] : NULL;

	if (!cell || cell->number != number)
		cell = add_cell(s, number);
	if (!cell)
		return no_memory(e);
	if (part->length == s->cell.length)
		return STATUS_OK;
	if (!cell->granules)
		cell->granules = calloc(words, sizeof(*cell->granules));
	if (!cell->granules)
		return no_memory(e);
	set_bits(cell->granules, first, first + divide_up(part->length, GRANULE));
	return STATUS_OK;
}

static enum status note_part(struct search *s, const struct cell_part *part, struct error *e)
{
	struct contents *c = s->c;
	bool noted = true;

	layer_totals_count(&c->totals, part, part->length);
	if (part->content == CONTENT_LEFT_OUT)
		return leave_out(s, part, e);
	if (part->content == CONTENT_UNREADABLE)
		noted = range_list_extend(&c->unreadable, part->offset, part->length);
	else if (part->content == CONTENT_MISSING)
		noted = range_list_extend(&c->missing, part->offset, part->length);
	return noted ? STATUS_OK : no_memory(e);
}

/* From one cell with records to the next, there are none. */
static enum status note_gap(struct contents *c, uint64_t from, uint64_t to, struct error *e)
{
	if (from >= to)
		return STATUS_OK;
	c->totals.unknown += to - from;
	return range_list_extend(&c->missing, from, to - from) ? STATUS_OK : no_memory(e);
}

static enum status collect(struct search *s, uint64_t number, struct error *e)
{
	cell_begin(&s->cell, number);
	for (size_t i = s->cell.first; i < s->cell.end; i++) {
		enum status status = cell_add_head(&s->cell, i, e);

		if (status == STATUS_NO_MEMORY)
			return status;
		if (status)
			s->watch->damaged(s->watch->arg, i, e);
	}
	return STATUS_OK;
}

static enum status find_in_cell(struct search *s, uint64_t number, struct error *e)
{
	enum status status = collect(s, number, e);
	struct cell_part part;

	if (!status)
		status = resolve_aliases(s, e);
	for (uint64_t at = s->cell.offset; !status && cell_part(&s->cell, at, UINT64_MAX, &part);
	     at = part.offset + part.length)
		status = note_part(s, &part, e);
	return status;
}

static enum status find_in_cells(struct search *s, struct error *e)
{
	const struct set *set = s->set;
	enum status status = STATUS_OK;
	uint64_t done = 0;

	for (size_t i = 0; i < set->locations && !status; i = s->cell.end) {
		uint64_t number = set->map[i]->entry.source_offset / set->cell_size;

		status = note_gap(s->c, done, number * set->cell_size, e);
		if (!status)
			status = find_in_cell(s, number, e);
		done = s->cell.offset + s->cell.length;
	}
	return status ? status : note_gap(s->c, done, set->source_size, e);
}

enum status contents_find(struct contents *c, const struct set *set,
			  const struct contents_watch *watch, struct error *e)
{
	struct search s = { .c = c, .set = set, .watch = watch, .target_number = UINT64_MAX };
	enum status status = cell_init(&s.cell, set, e);

	*c = (struct contents){ .cell_size = set->cell_size, .source_size = set->source_size };
	if (!status)
		status = cell_init(&s.target, set, e);
	if (!status)
		status = find_in_cells(&s, e);
	cell_free(&s.cell);
	cell_free(&s.target);
	return status;
}
