// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/record.h"
#include "format/runs.h"

/* Offsets of section 4. */
enum {
	AT_UUID = 8,
	AT_SOURCE_OFFSET = 24,
	AT_SOURCE_LENGTH = 32,
	AT_BLOCK_SIZE = 36,
	AT_CODEC = 40,
	AT_PAYLOAD_OFFSET = 44,
	AT_PAYLOAD_LENGTH = 48,
	AT_UNREADABLE = 52,
	AT_CAPTURE_TAG = 56,
	AT_FEATURES = 104,
	AT_BODY_CHECKSUM = 112,
	AT_CHECKSUM = 120,
};

enum { KIND_SHIFT = 28, LENGTH_MASK = (1 << KIND_SHIFT) - 1 };

const char *block_kind_name(int kind)
{
	static const char *const names[BLOCK_KINDS] = {
		[BLOCK_ZERO] = "zero",
		[BLOCK_SAME] = "same",
		[BLOCK_STORED] = "stored",
		[BLOCK_PACKED] = "packed",
		[BLOCK_UNREADABLE] = "unreadable",
	};

	return names[kind];
}

uint32_t record_granules(const struct record *record)
{
	return (uint32_t)divide_up(record->source_length, GRANULE);
}

uint32_t record_unpacked_length(const struct record *record)
{
	return record->gathered.layer ? record->gathered.stored_length : record->source_length;
}

uint32_t record_blocks(const struct record *record)
{
	return (uint32_t)divide_up(record_unpacked_length(record), record->block_size);
}

uint32_t record_block_length(const struct record *record, uint32_t i)
{
	uint32_t before = i * record->block_size;

	return (uint32_t)min_u64(record->block_size, record_unpacked_length(record) - before);
}

uint32_t record_end(const struct record *record)
{
	return record->payload_offset + record->payload_length;
}

uint32_t record_length(const struct record *record)
{
	return (uint32_t)round_up(record_end(record), UNIT);
}

uint32_t record_payload_offset_min(uint32_t blocks)
{
	return RECORD_HEADER_LENGTH + RECORD_ENTRY_LENGTH * blocks;
}

uint32_t record_table_offset(const struct record *record)
{
	return RECORD_HEADER_LENGTH + RUN_LENGTH * record->gathered.runs +
	       RUN_TARGET_LENGTH * record->gathered.aliases;
}

uint32_t record_length_max(uint32_t chunk_size)
{
	uint32_t table = record_payload_offset_min(chunk_size / BLOCK_SIZE_MIN);

	return (uint32_t)round_up((uint64_t)table + chunk_size, UNIT);
}

uint32_t record_length_max_gathered(uint32_t chunk_size, uint32_t cell_size)
{
	return record_length_max_runs(chunk_size, cell_size / GRANULE);
}

uint32_t record_length_max_runs(uint32_t chunk_size, uint32_t runs)
{
	uint64_t list = RUN_LENGTH * (uint64_t)runs +
			RUN_TARGET_LENGTH * min_u64(runs, RECORD_ALIASES_MAX);
	uint32_t table = record_payload_offset_min(chunk_size / BLOCK_SIZE_MIN);

	return (uint32_t)round_up(list + table + chunk_size, UNIT);
}

uint32_t record_entry(enum block_kind kind, uint32_t length)
{
	return (uint32_t)kind << KIND_SHIFT | length;
}

unsigned record_entry_kind(uint32_t entry)
{
	return entry >> KIND_SHIFT;
}

uint32_t record_entry_length(uint32_t entry)
{
	return entry & LENGTH_MASK;
}

void record_encode(const struct record *record, uint8_t *raw)
{
	memset(raw, 0, RECORD_HEADER_LENGTH);
	memcpy(raw, piece_magic(PIECE_RECORD), FORMAT_MAGIC_LENGTH);
	memcpy(raw + AT_UUID, record->id.uuid.bytes, UUID_LENGTH);
	put_le32(raw + AT_CAPTURE_TAG, record->id.tag);
	put_le64(raw + AT_SOURCE_OFFSET, record->source_offset);
	put_le32(raw + AT_SOURCE_LENGTH, record->source_length);
	put_le32(raw + AT_BLOCK_SIZE, record->block_size);
	put_le32(raw + AT_CODEC, record->codec);
	put_le32(raw + AT_PAYLOAD_OFFSET, record->payload_offset);
	put_le32(raw + AT_PAYLOAD_LENGTH, record->payload_length);
	put_le32(raw + AT_UNREADABLE, record->unreadable);
	put_le64(raw + AT_BODY_CHECKSUM, record->body_checksum);
	if (record->gathered.layer) {
		gathered_encode(&record->gathered, raw);
		put_le64(raw + AT_FEATURES, FEATURE_LAYERS);
	}
	put_le64(raw + AT_CHECKSUM, format_checksum(raw, AT_CHECKSUM));
}

/* Section 19: the range is within a cell, and the lists that precede the payload are not too long. */
static bool gathered_within_limits(const struct record *record, uint32_t chunk_size)
{
	const struct gathered *g = &record->gathered;
	uint32_t granules = record_granules(record);

	return g->layer >= 1 && g->layer <= LAYERS_MAX &&
	       g->cell_size >= GRANULE && g->cell_size <= CELL_SIZE_MAX &&
	       g->cell_size % GRANULE == 0 &&
	       record->source_length <= g->cell_size - record->source_offset % g->cell_size &&
	       g->stored_length <= record->source_length && g->stored_length <= chunk_size &&
	       g->runs >= 1 && g->runs <= granules &&
	       g->aliases <= g->runs && g->aliases <= RECORD_ALIASES_MAX &&
	       record->unreadable <= granules &&
	       !(g->named & 1u << CLASS_KERNEL) && (g->layer == 1 || !g->named) &&
	       class_table_valid(&g->classes);
}

static bool range_valid(const struct record *record)
{
	return record->source_offset <= OFFSET_MAX &&
	       record->source_offset % BLOCK_SIZE_MIN == 0 &&
	       record->source_length >= 1 &&
	       record->source_length <= OFFSET_MAX - record->source_offset;
}

static bool within_limits(const struct record *record, uint32_t chunk_size)
{
	bool gathered = record->gathered.layer;
	uint32_t table, longest;

	if (!block_size_valid(record->block_size) || !range_valid(record))
		return false;
	if (gathered ? !gathered_within_limits(record, chunk_size) :
		       record->source_length > chunk_size ||
		       record->unreadable > record_blocks(record))
		return false;
	table = record_table_offset(record) + RECORD_ENTRY_LENGTH * record_blocks(record);
	longest = gathered ? record_length_max_gathered(chunk_size, record->gathered.cell_size) :
			     record_length_max(chunk_size);
	return record->payload_offset >= table &&
	       record->payload_offset <= round_up(table, UNIT) &&
	       record->payload_length <= record_unpacked_length(record) &&
	       record_length(record) <= longest;
}

enum status record_decode(struct record *record, const uint8_t *raw, uint32_t chunk_size)
{
	return record_decode_with(record, raw, chunk_size, 0);
}

enum status record_decode_with(struct record *record, const uint8_t *raw, uint32_t chunk_size,
			       uint64_t features)
{
	uint64_t has;

	if (piece_kind(raw) != PIECE_RECORD)
		return STATUS_NOT_OURS;
	if (get_le64(raw + AT_CHECKSUM) != format_checksum(raw, AT_CHECKSUM))
		return STATUS_DAMAGED;
	has = get_le64(raw + AT_FEATURES);
	if (has & ~features)
		return STATUS_UNSUPPORTED;
	memcpy(record->id.uuid.bytes, raw + AT_UUID, UUID_LENGTH);
	record->id.tag = get_le32(raw + AT_CAPTURE_TAG);
	record->source_offset = get_le64(raw + AT_SOURCE_OFFSET);
	record->source_length = get_le32(raw + AT_SOURCE_LENGTH);
	record->block_size = get_le32(raw + AT_BLOCK_SIZE);
	record->codec = get_le32(raw + AT_CODEC);
	record->payload_offset = get_le32(raw + AT_PAYLOAD_OFFSET);
	record->payload_length = get_le32(raw + AT_PAYLOAD_LENGTH);
	record->unreadable = get_le32(raw + AT_UNREADABLE);
	record->body_checksum = get_le64(raw + AT_BODY_CHECKSUM);
	record->gathered = (struct gathered){ 0 };
	if (has & FEATURE_LAYERS) {
		gathered_decode(&record->gathered, raw);
		if (!record->gathered.layer)
			return STATUS_DAMAGED;
	}
	return within_limits(record, chunk_size) ? STATUS_OK : STATUS_DAMAGED;
}

uint64_t record_body_checksum(const struct record *record, const uint8_t *raw)
{
	return format_checksum(raw + RECORD_HEADER_LENGTH,
			       record_end(record) - RECORD_HEADER_LENGTH);
}

static bool entry_valid(uint32_t entry, uint32_t block_length)
{
	uint32_t length = record_entry_length(entry);

	switch (record_entry_kind(entry)) {
	case BLOCK_ZERO:
	case BLOCK_UNREADABLE:
		return length == 0;
	case BLOCK_SAME:
		return length == BLOCK_SAME_LENGTH && length <= block_length;
	case BLOCK_STORED:
		return length == block_length;
	case BLOCK_PACKED:
		return length >= 1 && length < block_length;
	default:
		return false;
	}
}

enum status record_check_body(const struct record *record, const uint8_t *raw)
{
	const uint8_t *table = raw + record_table_offset(record);
	bool gathered = record->gathered.layer;
	uint32_t blocks = record_blocks(record);
	uint32_t unreadable = 0;
	uint64_t payload = 0;

	if (record_body_checksum(record, raw) != record->body_checksum ||
	    (gathered && run_list_check(record, raw)))
		return STATUS_DAMAGED;
	for (uint32_t i = 0; i < blocks; i++) {
		uint32_t entry = get_le32(table + RECORD_ENTRY_LENGTH * i);

		if (!entry_valid(entry, record_block_length(record, i)))
			return STATUS_DAMAGED;
		payload += record_entry_length(entry);
		unreadable += record_entry_kind(entry) == BLOCK_UNREADABLE;
	}
	/* A gathered record has unreadable granules, and no such blocks. */
	if (payload != record->payload_length ||
	    unreadable != (gathered ? 0 : record->unreadable))
		return STATUS_DAMAGED;
	return STATUS_OK;
}
