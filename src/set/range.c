// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/layer_reader.h"
#include "set/plain.h"
#include "set/range.h"

enum status range_reader_init(struct range_reader *r, const struct set *set, struct error *e)
{
	enum status status;

	*r = (struct range_reader){ .set = set, .unpacked = UINT32_MAX };
	if (set_has_layers(set)) {
		status = layer_reader_new(&r->layers, set, e);
		if (status)
			range_reader_free(r);
		return status;
	}
	r->block = malloc(BLOCK_SIZE_MAX);
	if (!r->block)
		return error_system(e, ENOMEM, "block buffer");
	status = record_reader_init(&r->record, set, e);
	if (status)
		range_reader_free(r);
	return status;
}

void range_reader_free(struct range_reader *r)
{
	layer_reader_free(r->layers);
	r->layers = NULL;
	record_reader_free(&r->record);
	free(r->block);
	r->block = NULL;
}

void range_reader_forget(struct range_reader *r)
{
	r->loaded = NULL;
	r->unpacked = UINT32_MAX;
	if (r->layers)
		layer_reader_forget(r->layers);
}

/* Loads the record at index i of the map, unless it is already loaded. */
static enum status load(struct range_reader *r, size_t i, struct error *e)
{
	const struct location *location = r->set->map[i];
	enum status status;

	if (r->loaded == location)
		return STATUS_OK;
	range_reader_forget(r);
	status = record_reader_load(&r->record, r->set, location, e);
	if (!status)
		r->loaded = location;
	return status;
}

/* Unpacks the block of the loaded record that has the byte at offset. */
static enum status unpack(struct range_reader *r, uint64_t offset, struct error *e)
{
	const struct record *record = &r->record.record;
	uint32_t number = (uint32_t)((offset - record->source_offset) / record->block_size);
	enum status status;

	if (record_reader_kind(&r->record, number) == BLOCK_UNREADABLE)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " could not be read during "
				 "the capture", record->source_offset +
				 (uint64_t)number * record->block_size);
	if (r->unpacked == number)
		return STATUS_OK;
	r->unpacked = UINT32_MAX;
	status = record_reader_unpack_block(&r->record, number, r->block, e);
	if (!status)
		r->unpacked = number;
	return status;
}

static enum status load_and_unpack(struct range_reader *r, size_t i, uint64_t offset,
				   struct error *e)
{
	enum status status = load(r, i, e);

	return status ? status : unpack(r, offset, e);
}

/* Is the range at index i loaded, from any of its locations? */
static bool is_loaded(const struct range_reader *r, size_t i)
{
	return r->loaded && r->loaded->entry.source_offset == r->set->map[i]->entry.source_offset;
}

/*
 * Unpacks the block with the byte at offset; i is the first index of its range in the map.  A
 * duplicate that is loaded is preferred.
 */
static enum status find_block(struct range_reader *r, size_t i, uint64_t offset, struct error *e)
{
	struct error other;
	enum status status;

	if (is_loaded(r, i) && !unpack(r, offset, &other))
		return STATUS_OK;
	status = load_and_unpack(r, i, offset, e);
	while (status && status != STATUS_NO_MEMORY &&
	       (i = set_next_copy(r->set, i)) < r->set->locations)
		status = load_and_unpack(r, i, offset, &other) ? status : STATUS_OK;
	return status;
}

enum status range_read(struct range_reader *r, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e)
{
	const struct record *record = &r->record.record;

	if (set_is_plain(r->set))
		return plain_read(r->set, offset, len, dst, e);
	if (r->layers)
		return layer_read(r->layers, offset, len, dst, e);
	while (len) {
		size_t i = set_find(r->set, offset), some;
		enum status status;
		uint64_t within;

		if (i == r->set->locations || r->set->map[i]->entry.source_offset > offset)
			return error_set(e, STATUS_MISSING, "byte %" PRIu64 " is not in any member",
					 offset);
		status = find_block(r, i, offset, e);
		if (status)
			return status;
		within = (offset - record->source_offset) % record->block_size;
		some = min_u64(len, record_block_length(record, r->unpacked) - within);
		memcpy(dst, r->block + within, some);
		dst += some;
		offset += some;
		len -= some;
	}
	return STATUS_OK;
}
