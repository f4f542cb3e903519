// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/range.h"

enum status range_reader_init(struct range_reader *r, const struct set *set, struct error *e)
{
	enum status status;

	*r = (struct range_reader){ .set = set, .unpacked = UINT32_MAX };
	r->block = malloc(BLOCK_SIZE_MAX);
	if (!r->block)
		return error_system(e, ENOMEM, "block buffer");
	status = record_reader_init(&r->record, set->chunk_size, e);
	if (status)
		range_reader_free(r);
	return status;
}

void range_reader_free(struct range_reader *r)
{
	record_reader_free(&r->record);
	free(r->block);
	r->block = NULL;
}

void range_reader_forget(struct range_reader *r)
{
	r->loaded = NULL;
	r->unpacked = UINT32_MAX;
}

static bool same_range(const struct place *a, const struct place *b)
{
	return a->entry.source_offset == b->entry.source_offset &&
	       a->entry.source_length == b->entry.source_length;
}

/* The record behind entry i of the map, or behind one of its spares. */
static enum status load(struct range_reader *r, size_t i, struct error *e)
{
	const struct set *set = r->set;
	const struct place *first = set->map[i];
	struct error other;
	enum status status;

	if (r->loaded == first)
		return STATUS_OK;
	range_reader_forget(r);
	status = record_reader_load(&r->record, set, first, e);
	for (i++; status && i < set->places && same_range(set->map[i], first); i++)
		status = record_reader_load(&r->record, set, set->map[i], &other) ? status
										   : STATUS_OK;
	if (!status)
		r->loaded = first;
	return status;
}

/* Block number of the loaded record, into r->block. */
static enum status unpack(struct range_reader *r, uint32_t number, struct error *e)
{
	enum status status;

	if (record_reader_kind(&r->record, number) == BLOCK_UNREADABLE)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " could not be read when it "
				 "was captured", r->record.record.source_offset +
				 (uint64_t)number * r->record.record.block_size);
	if (r->unpacked == number)
		return STATUS_OK;
	r->unpacked = UINT32_MAX;
	status = record_reader_unpack_block(&r->record, number, r->block, e);
	if (!status)
		r->unpacked = number;
	return status;
}

enum status range_read(struct range_reader *r, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e)
{
	const struct record *record = &r->record.record;

	while (len) {
		size_t i = set_find(r->set, offset), some;
		enum status status;
		uint64_t within;
		uint32_t number;

		if (i == r->set->places || r->set->map[i]->entry.source_offset > offset)
			return error_set(e, STATUS_MISSING, "byte %" PRIu64 " is on no member",
					 offset);
		status = load(r, i, e);
		if (status)
			return status;
		number = (uint32_t)((offset - record->source_offset) / record->block_size);
		status = unpack(r, number, e);
		if (status)
			return status;
		within = (offset - record->source_offset) % record->block_size;
		some = min_u64(len, record_block_length(record, number) - within);
		memcpy(dst, r->block + within, some);
		dst += some;
		offset += some;
		len -= some;
	}
	return STATUS_OK;
}
