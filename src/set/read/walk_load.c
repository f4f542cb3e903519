// SPDX-License-Identifier: GPL-2.0-or-later
/* The second step of a walk: reading the records of a cell and unpacking their blocks. */
#include "config.h"

#include "base/bytes.h"
#include "set/read/walk_state.h"

static void note_damage(struct slot *slot, const struct error *e)
{
	if (slot->walk->settings.past_damage)
		walk_report_damage(slot->walk, e);
	else if (!slot->damage.status)
		slot->damage = *e;
}

/* --- one record -------------------------------------------------------------- */

/* Zero blocks are not written to the buffer: nobody reads them there. */
static enum status unpack(struct slot *slot, struct error *e)
{
	const struct walk_settings *s = &slot->walk->settings;

	slot->unpacked = false;
	if (s->mode == WALK_CHECK)
		return record_reader_prove(&slot->reader, slot->blocks, e);
	if (s->mode == WALK_RECORDS && !s->needs_blocks(s->deliver_arg, &slot->reader))
		return STATUS_OK;
	slot->unpacked = true;
	return record_reader_unpack(&slot->reader, slot->blocks, e);
}

/* Delivers what counts of the record at index i of the map, which is in the slot; in a second place, nothing does. */
static enum status take_record(struct slot *slot, size_t i, struct error *e)
{
	const struct record *record = &slot->reader.record;
	uint64_t at = record->source_offset;
	uint64_t end = min_u64(at + record->source_length, slot->cell.offset + slot->cell.length);
	enum status status = STATUS_OK;
	struct extent x;

	slot->walk->read += record_length(record);
	cell_add(&slot->cell, i, record, slot->reader.raw, true);
	slot->held = i;
	if (slot->walk->settings.ordered)
		return STATUS_OK;
	for (; at < end && !status && !slot->walk->stopping; at += x.length) {
		x = walk_extent(slot, at, end);
		if (!x.second && x.kind == EXTENT_STORED && x.location == i)
			status = walk_put(slot, &x, e);
	}
	return status;
}

/* What its head says, if that is intact, remains true. */
static void lose_record(struct slot *slot, size_t i)
{
	struct error ignored;

	set_lose(slot->walk->set, i);
	cell_add_head(&slot->cell, i, false, &ignored);
}

static enum status add_unread(struct slot *slot, size_t i, struct error *e)
{
	struct set_cell *cell = &slot->cell;

	return cell_add_entry(cell, i, false) ? STATUS_OK : cell_add_head(cell, i, !set_is_lost(cell->set, i), e);
}

static bool is_unwanted(const struct slot *slot, const struct index_entry *entry)
{
	const struct walk_settings *s = &slot->walk->settings;

	return s->wants_record &&
	       !s->wants_record(s->deliver_arg, entry->source_offset, entry->source_length);
}

/* Others of the cell have stored all of its range.  A check reads it nevertheless. */
static bool is_superfluous(const struct slot *slot, const struct index_entry *entry)
{
	uint64_t end = entry->source_offset + entry->source_length;
	struct extent x;

	return slot->walk->settings.mode != WALK_CHECK &&
	       cell_extent(&slot->cell, entry->source_offset, end, &x) &&
	       x.kind == EXTENT_STORED && x.length == entry->source_length;
}

/* A failure ends the walk. */
static enum status load_record(struct slot *slot, size_t i, struct error *e)
{
	const struct walk *w = slot->walk;
	const struct index_entry *entry = &w->set->map[i]->entry;
	bool unwanted = is_unwanted(slot, entry);
	enum status status;

	if (!walk_wants(w, entry->source_offset, entry->source_length) || is_superfluous(slot, entry))
		return STATUS_OK;
	if (!unwanted && (status = walk_put_aside(slot, e)))
		return status;
	status = unwanted ? add_unread(slot, i, e) :
			    record_reader_load(&slot->reader, w->set, w->set->map[i], e);
	if (!status && unwanted)
		return STATUS_OK;
	if (!status)
		status = unpack(slot, e);
	if (!status && w->settings.roots)
		roots_take(w->settings.roots, w->set->map[i], record_checksum(slot->reader.raw));
	if (!status)
		return take_record(slot, i, e);
	if (status == STATUS_NO_MEMORY)
		return status;
	if (!unwanted)
		lose_record(slot, i);
	note_damage(slot, e);
	return STATUS_OK;
}

/* --- second places ----------------------------------------------------------- */

/*
 * Why an extent is missing, if that is worth a report: damage is reported when the cell of the first place is
 * loaded, if that is wanted.
 */
static void note_lost(struct slot *slot, const struct extent *x, const struct error *e)
{
	const struct error *damage = e->status ? e : resolver_damage(&slot->first.resolver, x);
	uint64_t stored = x->offset, length = 1;

	second_places_follow(&slot->walk->set->second, &stored, &length);
	if (damage && !(slot->walk->settings.past_damage && walk_wants(slot->walk, stored, 1)))
		note_damage(slot, damage);
}

/* The blocks of the last record are not needed any more, so their buffer takes the bytes. */
static enum status load_second(struct slot *slot, uint64_t offset, uint64_t end, struct error *e)
{
	enum status status = STATUS_OK;
	struct extent x;

	for (; offset < end && !status && !slot->walk->stopping; offset += x.length) {
		status = range_read_extent(&slot->first, offset,
					   min_u64(end - offset, slot->walk->set->chunk_size),
					   slot->blocks, &x, e);
		if (status)
			return status;
		cell_set(&slot->cell, &x);
		if (extent_is_missing(&x))
			note_lost(slot, &x, e);
		if (x.kind == EXTENT_STORED)
			status = walk_put_second(slot, &x, e);
	}
	return status;
}

static enum status load_second_places(struct slot *slot, struct error *e)
{
	const struct range range = walk_range(slot);
	uint64_t end = range.offset + range.length, length;
	enum status status = STATUS_OK;

	for (uint64_t at = range.offset; at < end && !status; at += length) {
		uint64_t stored = at;

		length = end - at;
		if (!second_places_follow(&slot->walk->set->second, &stored, &length))
			continue;
		status = walk_put_aside(slot, e);
		if (!status)
			status = load_second(slot, at, at + length, e);
	}
	return status;
}

/* --- the cell ---------------------------------------------------------------- */

static enum status load_cell(struct slot *slot, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = slot->cell.first; i < slot->cell.end && !status; i++) {
		if (slot->walk->stopping)
			return STATUS_OK;
		status = load_record(slot, i, e);
	}
	return status ? status : load_second_places(slot, e);
}

/* The record of a stream is in the slot.  It has no index in the map, and needs none. */
static enum status load_of_stream(struct slot *slot, struct error *e)
{
	struct roots *roots = slot->walk->settings.roots;
	enum status status = record_reader_check(&slot->reader, e);

	if (!status)
		status = unpack(slot, e);
	if (!status && roots)
		roots_confirm(roots, (unsigned)(slot->queue - slot->walk->queues));
	if (!status)
		return take_record(slot, slot->cell.first, e);
	if (status == STATUS_NO_MEMORY)
		return status;
	if (slot->queue->judged_later)
		walk_judge_later(slot->queue, e);
	else
		note_damage(slot, e);
	return STATUS_OK;
}

void walk_load(struct slot *slot)
{
	enum status status;
	struct error e;

	slot->held = SIZE_MAX;
	slot->damage.status = STATUS_OK;
	status = slot->queue ? load_of_stream(slot, &e) : load_cell(slot, &e);
	if (status)
		walk_end(slot->walk, status, &e);
}
