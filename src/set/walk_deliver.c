// SPDX-License-Identifier: GPL-2.0-or-later
/* What the hands of a walk do with the blocks they have unpacked. */
#include "config.h"

#include <errno.h>

#include "base/bytes.h"
#include "set/walk_state.h"

/* What lies beyond the end of the source is nothing, as far as that is known by now. */
static enum status note_seen(struct walk *w, uint64_t offset, uint64_t length,
			     struct error *e)
{
	enum status status = STATUS_OK;

	length = min_u64(length, w->set->source_size - offset);
	pthread_mutex_lock(&w->lock);
	if (!range_list_add(&w->seen, offset, length))
		status = error_system(e, ENOMEM, "list of ranges");
	pthread_mutex_unlock(&w->lock);
	return status;
}

static enum status deliver_range(struct slot *h, struct error *e)
{
	const struct walk_settings *s = &h->walk->settings;
	struct delivery delivery = h->run;
	uint64_t end = min_u64(delivery.offset + delivery.length, s->to);

	h->run.length = 0;
	if (!s->deliver || !walk_wants(h->walk, delivery.offset, delivery.length) || !delivery.length)
		return STATUS_OK;
	if (delivery.offset < s->from) {
		if (delivery.data)
			delivery.data += s->from - delivery.offset;
		delivery.offset = s->from;
	}
	delivery.length = end - delivery.offset;
	return s->deliver(s->deliver_arg, &delivery, e);
}

static void report_unreadable(struct slot *h)
{
	struct walk *w = h->walk;
	uint64_t from = max_u64(h->bad_offset, w->settings.from);
	uint64_t to = min_u64(h->bad_offset + h->bad_length, w->settings.to);

	if (h->bad_length && from < to)
		w->settings.unreadable(w->settings.arg, from, to - from);
	h->bad_length = 0;
}

/* Neighbours of a kind are delivered together. */
static enum status visit_block(struct slot *h, uint64_t offset, enum block_kind kind,
			       uint32_t length, struct error *e)
{
	enum status status = STATUS_OK;
	bool zeros = kind == BLOCK_ZERO || kind == BLOCK_UNREADABLE;

	if (kind == BLOCK_UNREADABLE) {
		if (!h->bad_length)
			h->bad_offset = offset;
		h->bad_length += length;
	} else {
		report_unreadable(h);
	}
	if (h->run.length && zeros != !h->run.data)
		status = deliver_range(h, e);
	if (!h->run.length) {
		h->run.offset = offset;
		h->run.data = zeros ? NULL
				    : h->blocks + (offset - h->reader.record.source_offset);
	}
	h->run.length += length;
	return status;
}

static enum status deliver_record(struct slot *h, struct error *e)
{
	const struct walk_settings *s = &h->walk->settings;

	if (!s->deliver_record)
		return STATUS_OK;
	return s->deliver_record(s->deliver_arg, (unsigned)(h - h->walk->slots), &h->reader,
				 h->unpacked ? h->blocks : NULL, e);
}

enum status walk_deliver(struct slot *h, struct error *e)
{
	const struct record *record = &h->reader.record;
	enum status status = STATUS_OK;

	h->run.length = 0;
	h->bad_length = 0;
	for (uint32_t i = 0; i < record_blocks(record) && !status && !h->walk->stopping; i++)
		status = visit_block(h, record->source_offset + (uint64_t)i * record->block_size,
				     record_reader_kind(&h->reader, i),
				     record_block_length(record, i), e);
	report_unreadable(h);
	if (!status)
		status = deliver_range(h, e);
	if (!status)
		status = deliver_record(h, e);
	if (!status)
		status = note_seen(h->walk, record->source_offset, record->source_length, e);
	h->walk->done += record->source_length;
	h->walk->read += record_length(record);
	return status;
}
