// SPDX-License-Identifier: GPL-2.0-or-later
/* The last step of a walk over a cell: what its records do not store, and the buffer of the cell. */
#include "config.h"

#include "base/bytes.h"
#include "set/walk_steps.h"

static enum status put_rest(struct slot *slot, const struct cell_part *part, struct error *e)
{
	const struct walk_settings *s = &slot->walk->settings;
	const struct cell_slot *layers = slot->layers;
	bool held = part->content == CONTENT_STORED || part->content == CONTENT_ALIAS;
	struct delivery delivery = { .offset = part->offset, .length = part->length };

	if (s->mode == WALK_RECORDS && part->content != CONTENT_STORED &&
	    part->content != CONTENT_UNREADABLE) {
		const struct record_part rest = { part->offset, part->length, 0 };

		return s->deliver_record(s->deliver_arg, (unsigned)(slot - slot->walk->slots), NULL,
					 &rest, NULL, e);
	}
	if (s->mode != WALK_BYTES || (held && !layers->bytes))
		return STATUS_OK;
	delivery.state = held ? DELIVERY_DATA : part->content == CONTENT_LEFT_OUT ?
					       DELIVERY_LEFT_OUT : DELIVERY_UNREADABLE;
	if (held)
		delivery.data = layers->bytes + (part->offset - layers->cell.offset);
	return walk_put(slot->walk, &delivery, e);
}

static enum status deliver_part(struct slot *slot, const struct cell_part *part, struct error *e)
{
	if (part->content == CONTENT_MISSING) {
		*e = slot->layers->damage;
		return e->status;
	}
	if (part->content == CONTENT_UNREADABLE)
		walk_report_unreadable(slot->walk, part->offset, part->length);
	return put_rest(slot, part, e);
}

/* Parts that follow each other are noted together. */
static enum status note_part(struct slot *slot, struct range *visited, const struct cell_part *part,
			     struct error *e)
{
	struct range last = *visited;

	if (part->content == CONTENT_MISSING)
		return STATUS_OK;
	if (last.length && last.offset + last.length == part->offset) {
		visited->length += part->length;
		return STATUS_OK;
	}
	*visited = (struct range){ part->offset, part->length };
	return last.length ? walk_note_visited(slot->walk, last.offset, last.length, e) : STATUS_OK;
}

void walk_deliver_cell(struct slot *slot)
{
	const struct cell *cell = &slot->layers->cell;
	struct walk *w = slot->walk;
	struct layer_totals totals = { .aliased = 0 };
	struct range visited = { .length = 0 };
	uint64_t at = cell->offset;
	enum status status = STATUS_OK;
	struct cell_part part;
	struct error e;

	for (; !status && !w->stopping && cell_part(cell, at, UINT64_MAX, &part);
	     at = part.offset + part.length) {
		uint64_t from = max_u64(part.offset, w->settings.from);
		uint64_t to = min_u64(part.offset + part.length, w->settings.to);

		if (from >= to)
			continue;
		/* Only the wanted part of the source counts. */
		layer_totals_count(&totals, &part, to - from);
		status = deliver_part(slot, &part, &e);
		if (!status)
			status = note_part(slot, &visited, &part, &e);
		w->done += to - from;
	}
	if (!status && visited.length)
		status = walk_note_visited(w, visited.offset, visited.length, &e);
	if (status)
		walk_end(w, status, &e);
	pthread_mutex_lock(&w->lock);
	layer_totals_add(&w->totals, &totals);
	pthread_mutex_unlock(&w->lock);
}
