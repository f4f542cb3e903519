// SPDX-License-Identifier: GPL-2.0-or-later
/* The last step of a walk: delivering the blocks of a record. */
#include "config.h"

#include <errno.h>

#include "base/bytes.h"
#include "set/walk_steps.h"

/* Does not count bytes beyond the end of the source, as far as its size is known by now. */
enum status walk_note_visited(struct walk *w, uint64_t offset, uint64_t length, struct error *e)
{
	enum status status = STATUS_OK;

	length = min_u64(length, w->set->source_size - offset);
	pthread_mutex_lock(&w->lock);
	if (!range_list_add(&w->visited, offset, length))
		status = error_system(e, ENOMEM, "list of ranges");
	pthread_mutex_unlock(&w->lock);
	return status;
}

enum status walk_put(struct walk *w, const struct delivery *whole, struct error *e)
{
	const struct walk_settings *s = &w->settings;
	struct delivery delivery = *whole;
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

/* The pending range, if the caller takes bytes. */
static enum status deliver_pending(struct slot *slot, struct error *e)
{
	struct delivery delivery = slot->pending;

	slot->pending.length = 0;
	if (slot->walk->settings.mode != WALK_BYTES || !delivery.length)
		return STATUS_OK;
	return walk_put(slot->walk, &delivery, e);
}

void walk_report_unreadable(struct walk *w, uint64_t offset, uint64_t length)
{
	const struct walk_settings *s = &w->settings;
	uint64_t from = max_u64(offset, s->from), to = min_u64(offset + length, s->to);

	if (from < to)
		s->unreadable(s->arg, from, to - from);
}

static void report_unreadable(struct slot *slot)
{
	struct range *r = &slot->unreadable;

	if (r->length)
		walk_report_unreadable(slot->walk, r->offset, r->length);
	r->length = 0;
}

static enum delivery_state state_of(enum block_kind kind)
{
	switch (kind) {
	case BLOCK_ZERO:
		return DELIVERY_ZEROS;
	case BLOCK_UNREADABLE:
		return DELIVERY_UNREADABLE;
	default:
		return DELIVERY_DATA;
	}
}

/* Adjacent blocks of the same state are delivered together. */
static enum status visit_block(struct slot *slot, uint64_t offset, enum block_kind kind,
			       uint32_t length, struct error *e)
{
	enum status status = STATUS_OK;
	enum delivery_state state = state_of(kind);

	if (kind == BLOCK_UNREADABLE) {
		if (!slot->unreadable.length)
			slot->unreadable.offset = offset;
		slot->unreadable.length += length;
	} else {
		report_unreadable(slot);
	}
	if (slot->pending.length && slot->pending.state != state)
		status = deliver_pending(slot, e);
	if (!slot->pending.length) {
		slot->pending.state = state;
		slot->pending.offset = offset;
		slot->pending.data = state == DELIVERY_DATA ?
				     slot->blocks + (offset - slot->reader.record.source_offset) : NULL;
	}
	slot->pending.length += length;
	return status;
}

static enum status visit_blocks(struct slot *slot, struct error *e)
{
	const struct record *record = &slot->reader.record;
	enum status status = STATUS_OK;

	slot->pending.length = 0;
	slot->unreadable.length = 0;
	for (uint32_t i = 0; i < record_blocks(record) && !status && !slot->walk->stopping; i++)
		status = visit_block(slot, record->source_offset + (uint64_t)i * record->block_size,
				     record_reader_kind(&slot->reader, i),
				     record_block_length(record, i), e);
	report_unreadable(slot);
	return status ? status : deliver_pending(slot, e);
}

static enum status deliver_record(struct slot *slot, struct error *e)
{
	const struct walk_settings *s = &slot->walk->settings;
	const struct record *record = &slot->reader.record;
	const struct record_part all = { record->source_offset, record->source_length, 0 };

	if (s->mode != WALK_RECORDS)
		return STATUS_OK;
	return s->deliver_record(s->deliver_arg, (unsigned)(slot - slot->walk->slots),
				 &slot->reader, &all, slot->unpacked ? slot->blocks : NULL, e);
}

static enum status deliver(struct slot *slot, struct error *e)
{
	const struct record *record = &slot->reader.record;
	enum status status = visit_blocks(slot, e);

	if (!status)
		status = deliver_record(slot, e);
	if (!status)
		status = walk_note_visited(slot->walk, record->source_offset, record->source_length, e);
	slot->walk->done += record->source_length;
	slot->walk->read += record_length(record);
	return status;
}

/* The range counts as visited: nothing is missing there. */
static enum status skip(struct slot *slot, struct error *e)
{
	const struct index_entry *entry = &slot->location->entry;

	slot->walk->done += entry->source_length;
	return walk_note_visited(slot->walk, entry->source_offset, entry->source_length, e);
}

void walk_deliver(struct slot *slot)
{
	struct walk *w = slot->walk;
	enum status status;
	struct error e;

	if (slot->layers) {
		walk_deliver_cell(slot);
		return;
	}
	if ((!slot->loaded && !slot->skipped) || w->stopping)
		return;
	status = slot->skipped ? skip(slot, &e) : deliver(slot, &e);
	if (status)
		walk_end(w, status, &e);
}
