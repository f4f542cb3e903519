// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/collected.h"
#include "set/contents_search.h"

enum {
	WORD = 64,			/* granules in a word */
	BY_ENTRIES = 3,			/* how a cell was collected; others: see layer_reader.c */
};

static enum status no_memory(struct error *e)
{
	return error_system(e, ENOMEM, "list of missing ranges");
}

static size_t bits_size(const struct set *set)
{
	return round_up(divide_up(set->cell_size / GRANULE, 8), LEFT_OUT_ALIGN / 8);
}

enum status contents_search_init(struct contents_search *s, const struct set *set, struct error *e)
{
	enum status status;

	s->set = set;
	s->target_number = UINT64_MAX;
	contents_init(&s->found, set);
	status = cell_init(&s->cell, set, e);
	if (!status)
		status = cell_init(&s->target, set, e);
	s->bits = calloc(1, bits_size(set));
	return status || s->bits ? status : no_memory(e);
}

void contents_search_free(struct contents_search *s)
{
	cell_free(&s->cell);
	cell_free(&s->target);
	contents_free(&s->found);
	free(s->bits);
}

/* Adds all records of a cell.  report: those that do not count are reported. */
static enum status collect(struct contents_search *s, struct cell *c, bool report, struct error *e)
{
	for (size_t i = c->first; i < c->end; i++) {
		enum status status = STATUS_OK;

		if (!cell_add_entry(c, i))
			status = cell_add_head(c, i, e);
		if (status == STATUS_NO_MEMORY)
			return status;
		if (status && report)
			s->damaged(s, i, e);
		s->unsure |= status == STATUS_SYSTEM;
	}
	return STATUS_OK;
}

/* --- aliases ----------------------------------------------------------------- */

/* Damage was reported, or will be, when this cell is searched itself. */
static enum status settle_target(struct contents_search *s, uint64_t number, struct error *e)
{
	struct collected *known = s->set->collected;
	struct error damage = { .status = STATUS_OK };
	enum status status;

	s->target_number = UINT64_MAX;
	s->unsure = false;
	cell_begin(&s->target, number);
	if (!collected_recall(known, BY_ENTRIES, &s->target, &damage)) {
		status = collect(s, &s->target, false, e);
		if (status)
			return status;
		if (!s->unsure)
			collected_keep(known, BY_ENTRIES, &s->target, &damage);
	}
	s->target_number = number;
	return STATUS_OK;
}

/* Finds the state of the byte at offset; *length is reduced to the bytes with the same state. */
static enum status find_target(struct contents_search *s, uint64_t offset, size_t *length,
			       enum content *content, struct error *e)
{
	uint64_t number = offset / s->set->cell_size;
	struct cell_part part;
	enum status status = STATUS_OK;

	*content = CONTENT_MISSING;
	if (offset >= s->set->source_size)
		return STATUS_OK;
	if (s->target_number != number)
		status = settle_target(s, number, e);
	if (status)
		return status;
	cell_part(&s->target, offset, offset + *length, &part);
	*length = min_u64(*length, part.offset + part.length - offset);
	*content = part.content;
	return STATUS_OK;
}

/* Rule 2: an alias is as its target, which must be stored. */
static enum status resolve_alias(struct contents_search *s, const struct cell_part *alias,
				 struct error *e)
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
			s->damaged(s, alias->record, e);
			status = STATUS_OK;
		}
		if (content != CONTENT_STORED)
			cell_set_state(&s->cell, at, len, content == CONTENT_UNREADABLE ?
				       GRANULE_UNREADABLE : GRANULE_UNKNOWN);
	}
	return status;
}

/* Those of the record at index i of the map. */
static enum status resolve_aliases_of(struct contents_search *s, size_t i, struct error *e)
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
static enum status resolve_aliases(struct contents_search *s, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = s->cell.first; i < s->cell.end && !status; i++)
		if (s->set->map[i]->entry.named & INDEX_HAS_ALIASES)
			status = resolve_aliases_of(s, i, e);
	return status;
}

/* --- the result ---------------------------------------------------------------- */

static void leave_out(struct contents_search *s, const struct cell_part *part)
{
	uint64_t i = (part->offset - s->cell.offset) / GRANULE;
	uint64_t end = i + divide_up(part->length, GRANULE);

	for (; i < end && i % WORD; i++)
		s->bits[i / WORD] |= UINT64_C(1) << i % WORD;
	for (; i + WORD <= end; i += WORD)
		s->bits[i / WORD] = UINT64_MAX;
	for (; i < end; i++)
		s->bits[i / WORD] |= UINT64_C(1) << i % WORD;
	s->any_left_out = true;
}

static enum status note_part(struct contents_search *s, const struct cell_part *part, struct error *e)
{
	struct contents *c = &s->found;
	bool noted = true;

	layer_totals_count(&c->totals, part, part->length);
	if (part->content == CONTENT_LEFT_OUT)
		leave_out(s, part);
	else if (part->content == CONTENT_UNREADABLE)
		noted = range_list_extend(&c->unreadable, part->offset, part->length);
	else if (part->content == CONTENT_MISSING)
		noted = range_list_extend(&c->missing, part->offset, part->length);
	return noted ? STATUS_OK : no_memory(e);
}

static enum status note_parts(struct contents_search *s, struct error *e)
{
	enum status status = STATUS_OK;
	struct cell_part part;

	for (uint64_t at = s->cell.offset; !status && cell_part(&s->cell, at, UINT64_MAX, &part);
	     at = part.offset + part.length)
		status = note_part(s, &part, e);
	return status;
}

/* A run of the only record of the cell. */
static enum status note_run(struct contents_search *s, const struct run_place *place, struct error *e)
{
	struct cell_part part;

	cell_part_of_run(&s->cell, s->cell.first, place, &part);
	return note_part(s, &part, e);
}

/* All of them, after the head of the record was read. */
static enum status note_runs(struct contents_search *s, struct error *e)
{
	struct run_cursor runs = run_cursor_begin(&s->cell.head.record, s->cell.head.raw);
	enum status status = STATUS_OK;
	struct run_place place;

	while (!status && run_cursor_next(&runs, &place))
		status = note_run(s, &place, e);
	return status;
}

/* From one cell with records to the next, there are none. */
enum status contents_note_gap(struct contents *c, uint64_t from, uint64_t to, struct error *e)
{
	if (from >= to)
		return STATUS_OK;
	c->totals.unknown += to - from;
	return range_list_extend(&c->missing, from, to - from) ? STATUS_OK : no_memory(e);
}

/* --- cells ----------------------------------------------------------------------- */

/* Most cells have one record, with all of their granules.  Then its runs are all that is to be known. */
static bool has_one_record(const struct cell *c)
{
	const struct index_entry *entry = &c->set->map[c->first]->entry;

	return c->end - c->first == 1 && entry->layer == 1 && !(entry->named & INDEX_HAS_ALIASES) &&
	       entry->source_offset == c->offset && entry->source_length == c->length;
}

static enum status search_cell(struct contents_search *s, struct error *e)
{
	bool one = has_one_record(&s->cell);
	struct run_place place;
	enum status status;

	if (one && cell_entry_run(&s->cell, s->cell.first, &place))
		return note_run(s, &place, e);
	if (one && !cell_load_head(&s->cell, s->cell.first, e))
		return note_runs(s, e);
	/* This reads a damaged head again, and reports it. */
	status = collect(s, &s->cell, true, e);
	if (!status)
		status = resolve_aliases(s, e);
	return status ? status : note_parts(s, e);
}

static enum status find_in_cell(struct contents_search *s, uint64_t number, struct error *e)
{
	enum status status;

	s->any_left_out = false;
	memset(s->bits, 0, bits_size(s->set));
	cell_begin(&s->cell, number);
	status = search_cell(s, e);
	if (!status && s->any_left_out && !left_out_add(&s->found.left_out, number, s->bits))
		return no_memory(e);
	return status;
}

uint64_t contents_cell_end(const struct set *set, size_t i)
{
	uint64_t number = set->map[i]->entry.source_offset / set->cell_size;

	return min_u64((number + 1) * set->cell_size, set->source_size);
}

/* The heads are small, and far from each other, so a disk should know of many of them at once. */
static void announce(const struct set *set, size_t from, size_t end)
{
	struct run ignored;

	for (size_t i = from; i < end; i++) {
		const struct location *location = set->map[i];

		if (!index_entry_describes(&location->entry, &set->classes, &ignored))
			member_announce_read(&set->members[location->member],
					     location->entry.member_offset, UNIT);
	}
}

enum status contents_search_records(struct contents_search *s, size_t from, size_t end,
				    struct error *e)
{
	const struct set *set = s->set;
	uint64_t done = from ? contents_cell_end(set, from - 1) : 0;
	enum status status = STATUS_OK;

	announce(set, from, end);
	for (size_t i = from; i < end && !status; i = s->cell.end) {
		uint64_t number = set->map[i]->entry.source_offset / set->cell_size;

		status = contents_note_gap(&s->found, done, number * set->cell_size, e);
		if (!status)
			status = find_in_cell(s, number, e);
		done = s->cell.offset + s->cell.length;
	}
	return status;
}
