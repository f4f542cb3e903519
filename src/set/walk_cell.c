// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks over sets with layers.  A thread claims a cell and loads its records, lower layers first.
 * What counts of a record is delivered at once, or, in an ordered walk, put into a buffer for the
 * whole cell.  Then the aliases are read through a reader of their own, since their targets may be
 * anywhere.  The last step delivers what is left out or unreadable, and the buffer.
 *
 * Rejected: to read the heads of all records first, to know which records are needed.  All are
 * needed, except those that were captured again, and a disk would have to seek for each head.
 */
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "set/walk_steps.h"

/* --- what counts of a record ------------------------------------------------- */

/* In an ordered walk, zeros are bytes like others: a stream has no holes. */
static enum status put_block(struct slot *slot, const struct record_part *part, bool zeros,
			     struct error *e)
{
	struct cell_slot *layers = slot->layers;
	const uint8_t *data = slot->blocks + part->at;
	const struct delivery delivery = {
		.offset = part->offset,
		.length = part->length,
		.data = zeros ? NULL : data,
		.state = zeros ? DELIVERY_ZEROS : DELIVERY_DATA,
	};

	if (!layers->bytes)
		return walk_put(slot->walk, &delivery, e);
	if (zeros)
		memset(layers->bytes + (part->offset - layers->cell.offset), 0, part->length);
	else
		memcpy(layers->bytes + (part->offset - layers->cell.offset), data, part->length);
	return STATUS_OK;
}

static bool is_zero(const struct slot *slot, uint32_t at)
{
	const struct record_reader *r = &slot->reader;

	return record_reader_kind(r, at / r->record.block_size) == BLOCK_ZERO;
}

/* Adjacent blocks with data are delivered together, and so are adjacent blocks of zeros. */
static enum status put_bytes(struct slot *slot, const struct record_part *part, struct error *e)
{
	uint32_t block = slot->reader.record.block_size, done = 0;
	enum status status = STATUS_OK;

	while (done < part->length && !status) {
		uint32_t at = part->at + done, end = part->at + part->length, to = at;
		bool zeros = is_zero(slot, at);
		struct record_part some;

		while (to < end && is_zero(slot, to) == zeros)
			to = (uint32_t)min_u64(end, round_down(to, block) + (uint64_t)block);
		some = (struct record_part){ part->offset + done, to - at, at };
		status = put_block(slot, &some, zeros, e);
		done += to - at;
	}
	return status;
}

static enum status put_part(struct slot *slot, const struct record_part *part, struct error *e)
{
	const struct walk_settings *s = &slot->walk->settings;

	switch (s->mode) {
	case WALK_BYTES:
		return put_bytes(slot, part, e);
	case WALK_RECORDS:
		return s->deliver_record(s->deliver_arg, (unsigned)(slot - slot->walk->slots),
					 &slot->reader, part, slot->blocks, e);
	default:
		return STATUS_OK;
	}
}

/* Puts the granules of a stored run that come from the record at index i. */
static enum status put_run(struct slot *slot, size_t i, const struct run_place *place,
			   struct error *e)
{
	uint64_t end = place->offset + place->length;
	enum status status = STATUS_OK;
	struct cell_part part;

	for (uint64_t at = place->offset; at < end && !status; at = part.offset + part.length) {
		uint64_t to;

		cell_part(&slot->layers->cell, at, end, &part);
		if (part.content != CONTENT_STORED || part.record != i)
			continue;
		to = min_u64(end, part.offset + part.length);
		status = put_part(slot, &(struct record_part){
			.offset = at,
			.length = (uint32_t)(to - at),
			.at = place->stored_at + (uint32_t)(at - place->offset),
		}, e);
	}
	return status;
}

static enum status put_record(struct slot *slot, size_t i, struct error *e)
{
	const struct record *record = &slot->reader.record;
	struct run_cursor runs = run_cursor_begin(record, slot->reader.raw);
	enum status status = STATUS_OK;
	struct run_place place;

	while (!status && !slot->walk->stopping && run_cursor_next(&runs, &place))
		if (place.run.kind == RUN_STORED)
			status = put_run(slot, i, &place, e);
	return status;
}

/* --- loading ----------------------------------------------------------------- */

static void note_damage(struct slot *slot, const struct error *e)
{
	struct cell_slot *layers = slot->layers;

	if (slot->walk->settings.past_damage)
		walk_report_damage(slot->walk, e);
	else if (!layers->damage.status)
		layers->damage = *e;
}

/* Zero blocks are not written to the buffer: nobody reads them there. */
static enum status load(struct slot *slot, size_t i, struct error *e)
{
	const struct walk *w = slot->walk;
	enum status status = record_reader_load(&slot->reader, w->set, w->set->map[i], e);

	if (status)
		return status;
	slot->walk->read += record_length(&slot->reader.record);
	return w->settings.mode == WALK_CHECK ? record_reader_prove(&slot->reader, slot->blocks, e) :
						record_reader_unpack(&slot->reader, slot->blocks, e);
}

static bool is_unwanted(const struct slot *slot, const struct index_entry *entry)
{
	const struct walk_settings *s = &slot->walk->settings;

	return s->wants_record &&
	       !s->wants_record(s->deliver_arg, entry->source_offset, entry->source_length);
}

/* A failure ends the walk. */
static enum status load_record(struct slot *slot, size_t i, struct error *e)
{
	struct cell *cell = &slot->layers->cell;
	const struct index_entry *entry = &slot->walk->set->map[i]->entry;
	bool unwanted = is_unwanted(slot, entry);
	enum status status;

	if (!walk_wants(slot->walk, entry->source_offset, entry->source_length))
		return STATUS_OK;
	status = unwanted ? cell_add_head(cell, i, e) : load(slot, i, e);
	if (status == STATUS_NO_MEMORY)
		return status;
	if (!status && !unwanted) {
		cell_add(cell, i, &slot->reader.record, slot->reader.raw, true);
		return put_record(slot, i, e);
	}
	if (status && !unwanted)
		cell_add_damaged(cell, i);
	if (status)
		note_damage(slot, e);
	return STATUS_OK;
}

/* --- aliases ----------------------------------------------------------------- */

/*
 * Notes why an alias cannot be read.  The damaged record is reported when its own cell is loaded, if it
 * is wanted.
 */
static enum status lose_alias(struct slot *slot, uint64_t offset, size_t length, uint64_t target,
			      bool unreadable, const struct error *e)
{
	bool reported = slot->walk->settings.past_damage && walk_wants(slot->walk, target, 1);

	cell_set_state(&slot->layers->cell, offset, length,
		       unreadable ? GRANULE_UNREADABLE : GRANULE_UNKNOWN);
	if (e->status == STATUS_NO_MEMORY)
		return e->status;
	if (e->status != STATUS_MISSING && !reported)
		note_damage(slot, e);
	return STATUS_OK;
}

/* The blocks of the last record are not needed any more, so their buffer takes the bytes. */
static enum status read_alias(struct slot *slot, size_t i, uint64_t offset, size_t *len,
			      struct error *e)
{
	struct cell_slot *layers = slot->layers;
	struct walk *w = slot->walk;
	bool unreadable = false;
	uint64_t target = offset;
	enum status status;

	*len = min_u64(*len, w->set->chunk_size);
	status = cell_find_target(&layers->cell, i, offset, len, &target, e);
	/* Granule by granule: the length that a failure affects is known. */
	if (!status)
		status = layer_read_target(layers->targets, target, len, slot->blocks, &unreadable, e);
	if (status) {
		*len = min_u64(round_up(offset + *len, GRANULE) - offset,
			       layers->cell.offset + layers->cell.length - offset);
		return lose_alias(slot, offset, *len, target, unreadable, e);
	}
	if (w->settings.mode != WALK_BYTES)
		return STATUS_OK;
	return put_block(slot, &(struct record_part){ offset, (uint32_t)*len, 0 }, false, e);
}

static enum status read_aliases(struct slot *slot, const struct cell_part *part, struct error *e)
{
	struct cell_slot *layers = slot->layers;
	uint64_t end = part->offset + part->length;
	enum status status = STATUS_OK;
	size_t len;

	if (!layers->targets)
		status = layer_reader_new(&layers->targets, slot->walk->set, e);
	for (uint64_t at = part->offset; at < end && !status; at += len) {
		len = end - at;
		status = read_alias(slot, part->record, at, &len, e);
	}
	return status;
}

/* Those of the record at index i of the map. */
static enum status resolve_aliases_of(struct slot *slot, size_t i, struct error *e)
{
	const struct cell *cell = &slot->layers->cell;
	uint64_t at = slot->walk->set->map[i]->entry.source_offset;
	uint64_t end = location_end(slot->walk->set->map[i]);
	enum status status = STATUS_OK;
	struct cell_part part;

	for (; at < end && !status && !slot->walk->stopping && cell_part(cell, at, end, &part);
	     at = part.offset + part.length)
		if (part.content == CONTENT_ALIAS && part.record == i &&
		    walk_wants(slot->walk, part.offset, part.length))
			status = read_aliases(slot, &part, e);
	return status;
}

/* Record by record: the targets of one are close to each other. */
static enum status resolve_aliases(struct slot *slot, struct error *e)
{
	const struct cell *cell = &slot->layers->cell;
	enum status status = STATUS_OK;

	for (size_t i = cell->first; i < cell->end && !status; i++)
		if (slot->walk->set->map[i]->entry.named & INDEX_HAS_ALIASES)
			status = resolve_aliases_of(slot, i, e);
	return status;
}

void walk_load_cell(struct slot *slot)
{
	struct cell_slot *layers = slot->layers;
	enum status status = STATUS_OK;
	struct error e;

	layers->damage.status = STATUS_OK;
	for (size_t i = layers->cell.first; i < layers->cell.end && !status; i++) {
		if (slot->walk->stopping)
			return;
		status = load_record(slot, i, &e);
	}
	if (!status)
		status = resolve_aliases(slot, &e);
	if (status)
		walk_end(slot->walk, status, &e);
}
