// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads and delivers one cell of a walk, and collects the roots of members meanwhile. */
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "set/read/walk_state.h"

struct member_root {
	/* In the order of the locations; NULL: it has no root; owned.  The thread that reads a record writes its own. */
	uint64_t *checksums;
	atomic_size_t intact;		/* records */
};

struct roots {
	const struct set *set;		/* borrowed */
	struct member_root *members;	/* owned */
};

bool walk_wants(const struct walk *w, uint64_t offset, uint64_t length)
{
	return offset < w->settings.to && offset + length > w->settings.from;
}

void walk_cancel(struct walk *w)
{
	w->stopping = true;
	pthread_cond_broadcast(&w->slot_free);
}

void walk_end(struct walk *w, enum status status, const struct error *e)
{
	pthread_mutex_lock(&w->lock);
	if (!w->status) {
		w->status = status;
		w->error = *e;
	}
	walk_cancel(w);
	pthread_mutex_unlock(&w->lock);
}

/* The part of the source that the slot has. */
static struct range range_of(const struct slot *slot)
{
	const struct walk *w = slot->walk;
	uint64_t from = max_u64(slot->cell.offset, w->settings.from);
	uint64_t to = min_u64(slot->cell.offset + slot->cell.length, w->settings.to);

	return (struct range){ from, to > from ? to - from : 0 };
}

/*
 * The extent that begins at offset, and ends before to.  What second places have is known once they were
 * loaded.
 */
static struct extent extent_at(const struct slot *slot, uint64_t offset, uint64_t to)
{
	uint64_t stored = offset, length = to - offset;
	bool second = second_places_follow(&slot->walk->set->second, &stored, &length);
	struct extent x;

	cell_extent(&slot->cell, offset, offset + length, &x);
	x.second = second;
	return x;
}

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

/* Delivers bytes of the record that is held. */
static enum status put(struct slot *slot, const struct extent *x, struct error *e)
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

/* Ordered: copies all that counts of it to the buffer aside, before blocks has something else. */
static enum status put_aside(struct slot *slot, struct error *e)
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

/* The same for the bytes of an extent in a second place, which are at the beginning of blocks. */
static enum status put_second(struct slot *slot, const struct extent *x, struct error *e)
{
	bool ordered = slot->walk->settings.ordered;
	enum status status = ordered ? make_aside(slot, e) : STATUS_OK;

	if (status || slot->walk->settings.mode != WALK_BYTES)
		return status;
	return put_bytes(slot, ordered, x->offset, x->length, slot->blocks, e);
}

/* --- loading ----------------------------------------------------------------- */

/* The second step of a walk: reading the records of a cell and unpacking their blocks. */

static void note_damage(struct slot *slot, const struct error *e)
{
	const struct walk_settings *s = &slot->walk->settings;

	if (s->past_damage && s->damaged)
		s->damaged(s->arg, e);
	else if (!s->past_damage && !slot->damage.status)
		slot->damage = *e;
}

/* --- one record -------------------------------------------------------------- */

/* Zero blocks are not written to the buffer: nobody reads them there. */
static enum status unpack(struct slot *slot, struct error *e)
{
	const struct walk_settings *s = &slot->walk->settings;

	slot->unpacked = false;
	if (s->mode == WALK_CHECK)
		return record_reader_unpack(&slot->reader, slot->blocks, false, e);
	if (s->mode == WALK_RECORDS && !s->needs_blocks(s->deliver_arg, &slot->reader))
		return STATUS_OK;
	slot->unpacked = true;
	return record_reader_unpack(&slot->reader, slot->blocks, true, e);
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
		x = extent_at(slot, at, end);
		if (!x.second && x.kind == EXTENT_STORED && x.location == i)
			status = put(slot, &x, e);
	}
	return status;
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

/* An intact record; any thread, once for each location. */
static void roots_take(struct roots *roots, const struct location *location, uint64_t checksum)
{
	struct member_root *root = &roots->members[location->member];

	if (root->checksums)
		root->checksums[location - roots->set->members[location->member].locations] = checksum;
	root->intact++;
}

/* A failure ends the walk. */
static enum status load_record(struct slot *slot, size_t i, struct error *e)
{
	const struct walk *w = slot->walk;
	const struct index_entry *entry = &w->set->map[i]->entry;
	const struct walk_settings *s = &w->settings;
	bool unwanted = s->wants_record && !s->wants_record(s->deliver_arg, entry->source_offset, entry->source_length);
	struct error ignored;
	enum status status;

	if (!walk_wants(w, entry->source_offset, entry->source_length) || is_superfluous(slot, entry))
		return STATUS_OK;
	if (!unwanted && (status = put_aside(slot, e)))
		return status;
	if (unwanted && cell_add_entry(&slot->cell, i, false))
		return STATUS_OK;
	status = unwanted ? cell_add_head(&slot->cell, i, !set_is_lost(w->set, i), e) :
			    record_reader_load(&slot->reader, w->set, w->set->map[i], e);
	if (!status && unwanted)
		return STATUS_OK;
	if (!status)
		status = unpack(slot, e);
	if (!status && s->roots)
		roots_take(s->roots, w->set->map[i], record_checksum(slot->reader.raw));
	if (!status)
		return take_record(slot, i, e);
	if (status == STATUS_NO_MEMORY)
		return status;
	/* What its head says, if that is intact, remains true. */
	if (!unwanted) {
		set_lose(w->set, i);
		cell_add_head(&slot->cell, i, false, &ignored);
	}
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
	const struct error *damage = e->status ? e : resolver_damage(&slot->first.resolver);
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
			status = put_second(slot, &x, e);
	}
	return status;
}

static enum status load_second_places(struct slot *slot, struct error *e)
{
	const struct range range = range_of(slot);
	uint64_t end = range.offset + range.length, length;
	enum status status = STATUS_OK;

	for (uint64_t at = range.offset; at < end && !status; at += length) {
		uint64_t stored = at;

		length = end - at;
		if (!second_places_follow(&slot->walk->set->second, &stored, &length))
			continue;
		status = put_aside(slot, e);
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

void walk_load(struct slot *slot)
{
	enum status status;
	struct error e;

	slot->held = SIZE_MAX;
	slot->damage.status = STATUS_OK;
	status = load_cell(slot, &e);
	if (status)
		walk_end(slot->walk, status, &e);
}

/* --- the rest ------------------------------------------------------------------ */

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

static enum status deliver_extent(struct slot *slot, const struct extent *x, struct error *e)
{
	const struct walk_settings *s = &slot->walk->settings;
	bool stored = x->kind == EXTENT_STORED;

	if (extent_is_missing(x)) {
		*e = slot->damage;
		return e->status;
	}
	if (x->kind == EXTENT_UNREADABLE && s->unreadable)
		s->unreadable(s->arg, x->offset, x->length);
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
	const struct range range = range_of(slot);
	uint64_t end = range.offset + range.length;
	struct range visited = { .length = 0 };
	enum status status = STATUS_OK;
	struct extent x;

	for (uint64_t at = range.offset; at < end && !slot->walk->stopping; at += x.length) {
		x = extent_at(slot, at, end);
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

/* --- roots ------------------------------------------------------------------ */

static enum status member_root_init(struct member_root *root, const struct member *m, struct error *e)
{
	if (!member_has_root(m) || !m->count)
		return STATUS_OK;
	root->checksums = calloc(m->count, sizeof(*root->checksums));
	return root->checksums ? STATUS_OK : error_system(e, ENOMEM, "%s: checksums of %zu records", m->name, m->count);
}

enum status roots_new(struct roots **roots, const struct set *set, struct error *e)
{
	enum status status = STATUS_OK;
	struct roots *r;

	if (!digest_supported())
		return STATUS_OK;
	r = calloc(1, sizeof(*r));
	if (r)
		r->members = calloc(set->count, sizeof(*r->members));
	if (!r || !r->members) {
		free(r);
		return error_system(e, ENOMEM, "%u members", set->count);
	}
	r->set = set;
	for (unsigned i = 0; i < set->count && !status; i++)
		status = member_root_init(&r->members[i], &set->members[i], e);
	if (status)
		roots_free(r);
	else
		*roots = r;
	return status;
}

void roots_free(struct roots *roots)
{
	for (unsigned i = 0; roots && i < roots->set->count; i++)
		free(roots->members[i].checksums);
	if (roots)
		free(roots->members);
	free(roots);
}

enum root_verdict roots_verdict(const struct roots *roots, unsigned member, uint8_t bytes[ROOT_LENGTH])
{
	const struct member_root *root = &roots->members[member];
	const struct member *m = &roots->set->members[member];
	struct digest all;

	if (!member_has_root(m))
		return ROOT_NONE;
	if (root->intact != m->footer.records || m->count != m->footer.records)
		return ROOT_UNKNOWN;
	digest_begin(&all);
	for (size_t i = 0; i < m->count; i++)
		root_add(&all, root->checksums[i]);
	digest_get(&all, bytes);
	return memcmp(bytes, m->footer.root, ROOT_LENGTH) == 0 ? ROOT_SAME : ROOT_DIFFERENT;
}
