// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/collected.h"
#include "set/layer_reader.h"

/* How a cell was collected. */
enum { BY_HEADS = 1, BY_BODIES };

enum status layer_reader_new(struct layer_reader **reader, const struct set *set, struct error *e)
{
	struct layer_reader *r = calloc(1, sizeof(*r));
	enum status status;

	*reader = r;
	if (!r)
		return error_system(e, ENOMEM, "block buffer");
	r->set = set;
	layer_reader_forget(r);
	r->block = malloc(BLOCK_SIZE_MAX);
	if (!r->block)
		return error_system(e, ENOMEM, "block buffer");
	status = cell_init(&r->cell, set, e);
	return status ? status : record_reader_init(&r->record, set, e);
}

void layer_reader_free(struct layer_reader *r)
{
	if (!r)
		return;
	layer_reader_free(r->targets);
	record_reader_free(&r->record);
	cell_free(&r->cell);
	free(r->block);
	free(r);
}

void layer_reader_forget(struct layer_reader *r)
{
	r->number = UINT64_MAX;
	r->loaded = SIZE_MAX;
	r->unpacked = UINT32_MAX;
	if (r->targets)
		layer_reader_forget(r->targets);
}

/* --- the cell ---------------------------------------------------------------- */

static void note_damage(void *arg, const struct error *e)
{
	struct layer_reader *r = arg;

	if (!r->damage.status)
		r->damage = *e;
	r->unsure |= e->status == STATUS_SYSTEM;
}

static enum status collect(struct layer_reader *r, uint64_t number, bool checked, struct error *e)
{
	enum status status;

	r->damage.status = STATUS_OK;
	r->unsure = false;
	if (checked) {
		r->loaded = SIZE_MAX;
		status = cell_collect_checked(&r->cell, number, &r->record, r->block, note_damage, r, e);
	} else {
		status = cell_collect(&r->cell, number, note_damage, r, e);
	}
	if (!status && !r->unsure)
		collected_keep(r->set->collected, checked ? BY_BODIES : BY_HEADS, &r->cell, &r->damage);
	return status;
}

/* Finds out what is in a cell, unless it is known. */
static enum status settle_cell(struct layer_reader *r, uint64_t number, bool checked, struct error *e)
{
	struct collected *known = r->set->collected;
	enum status status = STATUS_OK;

	r->number = UINT64_MAX;
	cell_begin(&r->cell, number);
	r->checked = collected_recall(known, BY_BODIES, &r->cell, &r->damage);
	if (!r->checked && (checked || !collected_recall(known, BY_HEADS, &r->cell, &r->damage))) {
		status = collect(r, number, checked, e);
		r->checked = checked;
	}
	if (!status)
		r->number = number;
	return status;
}

static enum status find_part(struct layer_reader *r, uint64_t offset, size_t len,
			     struct cell_part *part, struct error *e)
{
	uint64_t number = offset / r->set->cell_size;
	enum status status = STATUS_OK;

	if (r->number != number)
		status = settle_cell(r, number, false, e);
	if (!status)
		cell_part(&r->cell, offset, offset + len, part);
	return status;
}

/* --- stored bytes ------------------------------------------------------------ */

static enum status load(struct layer_reader *r, size_t i, struct error *e)
{
	enum status status;

	if (r->loaded == i)
		return STATUS_OK;
	r->loaded = SIZE_MAX;
	r->unpacked = UINT32_MAX;
	r->place.length = 0;
	status = record_reader_load(&r->record, r->set, r->set->map[i], e);
	if (!status)
		r->loaded = i;
	return status;
}

/* The run of a record that has the byte at offset. */
static void find_run(const struct record *record, const uint8_t *raw, uint64_t offset,
		     struct run_place *place)
{
	struct run_cursor runs;

	if (run_place_has(place, offset))
		return;
	runs = run_cursor_begin(record, raw);
	while (run_cursor_next(&runs, place) && !run_place_has(place, offset))
		;
}

static enum status unpack(struct layer_reader *r, uint32_t number, struct error *e)
{
	enum status status;

	if (r->unpacked == number)
		return STATUS_OK;
	r->unpacked = UINT32_MAX;
	status = record_reader_unpack_block(&r->record, number, r->block, e);
	if (!status)
		r->unpacked = number;
	return status;
}

/* From the record at index i, which stores the byte at offset; reads at least a byte. */
static enum status read_stored(struct layer_reader *r, size_t i, uint64_t offset, size_t *len,
			       uint8_t *dst, struct error *e)
{
	const struct record *record = &r->record.record;
	uint64_t at, within;
	enum status status = load(r, i, e);

	if (status)
		return status;
	find_run(record, r->record.raw, offset, &r->place);
	*len = min_u64(*len, r->place.offset + r->place.length - offset);
	at = r->place.stored_at + (offset - r->place.offset);
	status = unpack(r, (uint32_t)(at / record->block_size), e);
	if (status)
		return status;
	within = at % record->block_size;
	*len = min_u64(*len, record_block_length(record, r->unpacked) - within);
	memcpy(dst, r->block + within, *len);
	return STATUS_OK;
}

/*
 * After a failure to read what a record stores: true if the cell, now with all bodies checked, may
 * say something else of these bytes.
 */
static bool try_again(struct layer_reader *r, enum status status, uint64_t offset)
{
	struct error ignored;

	return !r->checked && status != STATUS_NO_MEMORY &&
	       !settle_cell(r, offset / r->set->cell_size, true, &ignored);
}

/* --- everything else --------------------------------------------------------- */

static enum status could_not_be_read(uint64_t offset, struct error *e)
{
	return error_set(e, STATUS_MISSING, "byte %" PRIu64 " could not be read during the capture",
			 offset);
}

static enum status is_missing(struct layer_reader *r, const struct cell_part *part,
			      uint64_t offset, struct error *e)
{
	/* The error says which record is damaged. */
	if (part->state == GRANULE_DAMAGED) {
		enum status status = load(r, part->record, e);

		if (status)
			return status;
	}
	/* Its checksum may be correct; then it cannot be unpacked. */
	if ((part->state == GRANULE_DAMAGED || part->state == GRANULE_UNKNOWN) && r->damage.status) {
		*e = r->damage;
		return e->status;
	}
	return error_set(e, STATUS_MISSING, "byte %" PRIu64 " is not in any member", offset);
}

enum status layer_read_target(struct layer_reader *r, uint64_t offset, size_t *len, uint8_t *dst,
			      bool *unreadable, struct error *e)
{
	struct cell_part part;
	enum status status;

	*unreadable = false;
	if (offset >= r->set->source_size)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " is beyond the end of the source",
				 offset);
	do {
		status = find_part(r, offset, *len, &part, e);
		if (status)
			return status;
		*len = min_u64(*len, part.offset + part.length - offset);
		if (part.content == CONTENT_STORED)
			status = read_stored(r, part.record, offset, len, dst, e);
	} while (status && try_again(r, status, offset));
	if (part.content == CONTENT_STORED)
		return status;
	*unreadable = part.content == CONTENT_UNREADABLE;
	return *unreadable ? could_not_be_read(offset, e) : is_missing(r, &part, offset, e);
}

static enum status read_alias(struct layer_reader *r, size_t i, uint64_t offset, size_t *len,
			      uint8_t *dst, struct error *e)
{
	uint64_t target;
	bool unreadable;
	enum status status = STATUS_OK;

	if (!r->targets)
		status = layer_reader_new(&r->targets, r->set, e);
	if (!status)
		status = cell_find_target(&r->cell, i, offset, len, &target, e);
	return status ? status : layer_read_target(r->targets, target, len, dst, &unreadable, e);
}

static enum status read_part(struct layer_reader *r, const struct cell_part *part, uint64_t offset,
			     size_t *len, uint8_t *dst, struct error *e)
{
	switch (part->content) {
	case CONTENT_STORED:
		return read_stored(r, part->record, offset, len, dst, e);
	case CONTENT_ALIAS:
		return read_alias(r, part->record, offset, len, dst, e);
	case CONTENT_LEFT_OUT:
		memset(dst, 0, *len);
		return STATUS_OK;
	case CONTENT_UNREADABLE:
		return could_not_be_read(offset, e);
	default:
		return is_missing(r, part, offset, e);
	}
}

enum status layer_read(struct layer_reader *r, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e)
{
	while (len) {
		struct cell_part part;
		enum status status = find_part(r, offset, len, &part, e);
		size_t some;

		if (status)
			return status;
		some = min_u64(len, part.offset + part.length - offset);
		status = read_part(r, &part, offset, &some, dst, e);
		if (status && part.content == CONTENT_STORED && try_again(r, status, offset))
			continue;
		if (status)
			return status;
		dst += some;
		offset += some;
		len -= some;
	}
	return STATUS_OK;
}
