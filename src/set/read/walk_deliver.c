// SPDX-License-Identifier: GPL-2.0-or-later
/* The last step of a walk: delivering what the cell has. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/read/walk_state.h"

/* --- the bytes of a record ----------------------------------------------------- */

/* Calls deliver() with the wanted part of a range, which has at least a byte. */
static enum status deliver(struct walk *w, struct delivery delivery, struct error *e)
{
	const struct walk_settings *s = &w->settings;
	uint64_t end = min_u64(delivery.offset + delivery.length, s->to);

	if (!walk_wants(w, delivery.offset, delivery.length))
		return STATUS_OK;
	if (delivery.offset < s->from) {
		if (delivery.data)
			delivery.data += s->from - delivery.offset;
		delivery.offset = s->from;
	}
	delivery.length = end - delivery.offset;
	return s->deliver(s->deliver_arg, &delivery, e);
}

/* In an ordered walk, zeros are bytes like others: a stream has no holes.  data NULL: zeros. */
static enum status put_bytes(struct slot *slot, bool aside, uint64_t offset, uint64_t length,
			     const uint8_t *data, struct error *e)
{
	const struct delivery delivery = {
		.offset = offset,
		.length = length,
		.data = data,
		.kind = data ? EXTENT_STORED : EXTENT_ZERO,
	};
	uint8_t *to;

	if (!aside)
		return deliver(slot->walk, delivery, e);
	to = slot->aside + (offset - slot->cell.offset);
	if (data)
		memcpy(to, data, length);
	else
		memset(to, 0, length);
	return STATUS_OK;
}

static bool is_zero(const struct slot *slot, uint32_t at)
{
	const struct record_reader *r = &slot->reader;

	return record_reader_kind(r, at / r->record.block_size) == BLOCK_ZERO;
}

/* Adjacent blocks with data are delivered together, and so are adjacent blocks of zeros. */
static enum status put_blocks(struct slot *slot, bool aside, const struct extent *x, struct error *e)
{
	uint32_t block = slot->reader.record.block_size, end = x->at + (uint32_t)x->length;
	enum status status = STATUS_OK;

	for (uint32_t at = x->at, to; at < end && !status; at = to) {
		bool zeros = is_zero(slot, at);

		for (to = at; to < end && is_zero(slot, to) == zeros;)
			to = (uint32_t)min_u64(end, round_down(to, block) + (uint64_t)block);
		status = put_bytes(slot, aside, x->offset + (at - x->at), to - at,
				   zeros ? NULL : slot->blocks + at, e);
	}
	return status;
}

enum status walk_put(struct slot *slot, const struct extent *x, struct error *e)
{
	const struct walk_settings *s = &slot->walk->settings;

	switch (s->mode) {
	case WALK_BYTES:
		return put_blocks(slot, false, x, e);
	case WALK_RECORDS:
		return s->deliver_record(s->deliver_arg, (unsigned)(slot - slot->walk->slots),
					 &slot->reader, x, slot->unpacked ? slot->blocks : NULL, e);
	default:
		return STATUS_OK;
	}
}

/* --- the buffer of a cell with several records ----------------------------------- */

static enum status make_aside(struct slot *slot, struct error *e)
{
	if (!slot->aside)
		slot->aside = malloc(slot->walk->set->cell_size);
	return slot->aside ? STATUS_OK : error_system(e, ENOMEM, "record buffer");
}

enum status walk_put_aside(struct slot *slot, struct error *e)
{
	size_t held = slot->held;
	uint64_t at = slot->cell.offset;
	enum status status;
	struct extent x;

	slot->held = SIZE_MAX;
	if (!slot->walk->settings.ordered || held == SIZE_MAX)
		return STATUS_OK;
	status = make_aside(slot, e);
	for (; !status && cell_extent(&slot->cell, at, UINT64_MAX, &x); at += x.length)
		if (x.kind == EXTENT_STORED && x.location == held)
			status = put_blocks(slot, true, &x, e);
	return status;
}

enum status walk_put_second(struct slot *slot, const struct extent *x, struct error *e)
{
	bool ordered = slot->walk->settings.ordered;
	enum status status = ordered ? make_aside(slot, e) : STATUS_OK;

	if (status || slot->walk->settings.mode != WALK_BYTES)
		return status;
	return put_bytes(slot, ordered, x->offset, x->length, slot->blocks, e);
}

/* --- the rest ------------------------------------------------------------------ */

/* If the size of the source is not known, the last record ends the cell. */
static uint64_t cell_end(const struct slot *slot)
{
	const struct set_cell *cell = &slot->cell;
	uint64_t end = cell->offset;

	if (cell->set->source_size != SOURCE_SIZE_UNKNOWN)
		return cell->offset + cell->length;
	for (size_t i = cell->first; i < cell->end; i++)
		end = max_u64(end, location_end(cell->set->map[i]));
	return end;
}

struct range walk_range(const struct slot *slot)
{
	const struct walk *w = slot->walk;
	uint64_t from = slot->cell.offset, to = cell_end(slot);

	if (slot->queue) {
		from = slot->reader.record.source_offset;
		to = min_u64(slot->cell.offset + slot->cell.length, from + slot->reader.record.source_length);
	}
	from = max_u64(from, w->settings.from);
	to = min_u64(to, w->settings.to);
	return (struct range){ from, to > from ? to - from : 0 };
}

struct extent walk_extent(const struct slot *slot, uint64_t offset, uint64_t to)
{
	uint64_t stored = offset, length = to - offset;
	bool second = second_places_follow(&slot->walk->set->second, &stored, &length);
	struct extent x;

	cell_extent(&slot->cell, offset, offset + length, &x);
	x.second = second;
	return x;
}

/* In a walk without order, what is stored was delivered before, except for second places to be read. */
static enum status deliver_stored(struct slot *slot, const struct extent *x, struct error *e)
{
	const struct walk *w = slot->walk;

	if (w->settings.ordered && !x->second && x->location == slot->held)
		return put_blocks(slot, false, x, e);
	if (w->settings.ordered)
		return put_bytes(slot, false, x->offset, x->length,
				 slot->aside + (x->offset - slot->cell.offset), e);
	return STATUS_OK;
}

static void report_unreadable(const struct walk *w, const struct extent *x)
{
	w->settings.unreadable(w->settings.arg, x->offset, x->length);
}

static enum status deliver_extent(struct slot *slot, const struct extent *x, struct error *e)
{
	const struct walk_settings *s = &slot->walk->settings;
	bool stored = x->kind == EXTENT_STORED;

	if (extent_is_missing(x)) {
		*e = slot->damage;
		return e->status;
	}
	if (x->kind == EXTENT_UNREADABLE)
		report_unreadable(slot->walk, x);
	if (s->mode == WALK_RECORDS && (!stored || x->second))
		return s->deliver_record(s->deliver_arg, (unsigned)(slot - slot->walk->slots), NULL,
					 x, NULL, e);
	if (s->mode != WALK_BYTES)
		return STATUS_OK;
	return stored ? deliver_stored(slot, x, e) :
			deliver(slot->walk, (struct delivery){ x->offset, x->length, NULL, x->kind }, e);
}

/* Does not count bytes beyond the end of the source, as far as its size is known by now. */
static enum status note_visited(struct walk *w, const struct range *range, struct error *e)
{
	enum status status = STATUS_OK;

	if (!range->length)
		return STATUS_OK;
	pthread_mutex_lock(&w->lock);
	if (!range_list_add(&w->visited, range->offset,
			    min_u64(range->length, w->set->source_size - range->offset)))
		status = error_system(e, ENOMEM, "list of ranges");
	pthread_mutex_unlock(&w->lock);
	return status;
}

/* Extents that follow each other are noted together. */
static enum status note_extent(struct slot *slot, struct range *visited, const struct extent *x,
			       struct error *e)
{
	struct range last = *visited;

	if (extent_is_missing(x))
		return STATUS_OK;
	if (last.length && last.offset + last.length == x->offset) {
		visited->length += x->length;
		return STATUS_OK;
	}
	*visited = (struct range){ x->offset, x->length };
	return note_visited(slot->walk, &last, e);
}

static enum status deliver_all(struct slot *slot, struct layer_totals *totals, struct error *e)
{
	const struct range range = walk_range(slot);
	uint64_t end = range.offset + range.length;
	struct range visited = { .length = 0 };
	enum status status = STATUS_OK;
	struct extent x;

	for (uint64_t at = range.offset; at < end && !slot->walk->stopping; at += x.length) {
		x = walk_extent(slot, at, end);
		layer_totals_count(totals, &x, x.length);
		status = deliver_extent(slot, &x, e);
		if (!status)
			status = note_extent(slot, &visited, &x, e);
		if (status)
			return status;
		slot->walk->done += x.length;
	}
	return note_visited(slot->walk, &visited, e);
}

void walk_deliver(struct slot *slot)
{
	struct layer_totals totals = { .memory = { .unknown = 0 } };
	struct walk *w = slot->walk;
	struct error e;
	enum status status = deliver_all(slot, &totals, &e);

	if (status)
		walk_end(w, status, &e);
	pthread_mutex_lock(&w->lock);
	layer_totals_add(&w->totals, &totals);
	pthread_mutex_unlock(&w->lock);
}
