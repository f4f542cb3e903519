// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/columns.h"
#include "format/record.h"
#include "format/runs.h"

/* Offsets of section 5. */
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
	AT_RUNS = 60,
	AT_STORED_LENGTH = 68,
	AT_LAYER = 72,
	AT_NAMED = 74,
	AT_CLASSES = 76,
	AT_CELL_SIZE = 92,
	AT_LIST_CHECKSUM = 96,
	AT_FEATURES = 104,
	AT_BODY_CHECKSUM = 112,
	AT_CHECKSUM = 120,
};

_Static_assert(AT_CLASSES + CLASSES == AT_CELL_SIZE, "doc/format.md, section 5");

/* The bits between are those of a row, which only BLOCK_COLUMNS has. */
enum { KIND_SHIFT = 28, ROW_SHIFT = 21, LENGTH_MASK = (1 << ROW_SHIFT) - 1, ROW_MASK = 127 };

const char *block_kind_name(int kind)
{
	static const char *const names[BLOCK_KINDS] = {
		[BLOCK_ZERO] = "zero",
		[BLOCK_SAME] = "same",
		[BLOCK_STORED] = "stored",
		[BLOCK_PACKED] = "packed",
	};

	return names[kind];
}

uint32_t record_granules(const struct record *record)
{
	return (uint32_t)divide_up(record->source_length, GRANULE);
}

uint32_t record_blocks(const struct record *record)
{
	return (uint32_t)divide_up(record->stored_length, record->block_size);
}

uint32_t record_block_length(const struct record *record, uint32_t i)
{
	uint32_t before = i * record->block_size;

	return (uint32_t)min_u64(record->block_size, record->stored_length - before);
}

uint32_t record_end(const struct record *record)
{
	return record->payload_offset + record->payload_length;
}

uint32_t record_length(const struct record *record)
{
	return (uint32_t)round_up(record_end(record), ALIGNMENT);
}

uint32_t record_payload_offset_min(uint32_t blocks)
{
	return RECORD_HEADER_LENGTH + RECORD_ENTRY_LENGTH * blocks;
}

uint32_t record_table_offset(const struct record *record)
{
	return RECORD_HEADER_LENGTH + RUN_LENGTH * record->runs;
}

uint32_t record_length_max(uint32_t chunk_size, uint32_t cell_size)
{
	return record_length_max_runs(chunk_size, cell_size / GRANULE);
}

uint32_t record_length_max_runs(uint32_t chunk_size, uint32_t runs)
{
	uint32_t table = record_payload_offset_min(chunk_size / BLOCK_SIZE_MIN);

	return (uint32_t)round_up((uint64_t)RUN_LENGTH * runs + table + chunk_size, ALIGNMENT);
}

uint32_t record_entry(unsigned kind, uint32_t length)
{
	return kind << KIND_SHIFT | length;
}

uint32_t record_entry_columns(uint32_t length, uint32_t row)
{
	return record_entry(BLOCK_COLUMNS, length) | row / COLUMN_ROW_UNIT << ROW_SHIFT;
}

unsigned record_entry_kind(uint32_t entry)
{
	return entry >> KIND_SHIFT;
}

uint32_t record_entry_length(uint32_t entry)
{
	return entry & LENGTH_MASK;
}

uint32_t record_entry_row(uint32_t entry)
{
	return (entry >> ROW_SHIFT & ROW_MASK) * COLUMN_ROW_UNIT;
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
	put_le32(raw + AT_RUNS, record->runs);
	put_le32(raw + AT_STORED_LENGTH, record->stored_length);
	raw[AT_LAYER] = (uint8_t)record->layer;
	put_le16(raw + AT_NAMED, record->named);
	memcpy(raw + AT_CLASSES, record->classes.of, sizeof(record->classes.of));
	put_le32(raw + AT_CELL_SIZE, record->cell_size);
	put_le64(raw + AT_LIST_CHECKSUM, record->list_checksum);
	put_le64(raw + AT_BODY_CHECKSUM, record->body_checksum);
	put_le64(raw + AT_CHECKSUM, format_checksum(raw, AT_CHECKSUM));
}

static bool range_valid(const struct record *record)
{
	return record->source_offset <= OFFSET_MAX &&
	       record->source_offset % GRANULE == 0 &&
	       record->source_length >= 1 &&
	       record->source_length <= OFFSET_MAX - record->source_offset &&
	       record->cell_size >= GRANULE && record->cell_size <= CELL_SIZE_MAX &&
	       record->cell_size % GRANULE == 0 &&
	       record->source_length <= record->cell_size - record->source_offset % record->cell_size;
}

static bool list_valid(const struct record *record)
{
	uint32_t granules = record_granules(record);

	if (!record->runs && (record->stored_length != record->source_length || record->unreadable ||
			      record->named || record->list_checksum))
		return false;
	return record->runs <= granules && record->unreadable <= granules &&
	       (record->layer == 1 || !record->named);
}

static bool within_limits(const struct record *record, uint32_t chunk_size)
{
	uint32_t table;

	if (!block_size_valid(record->block_size) || !range_valid(record) || !list_valid(record) ||
	    record->stored_length > record->source_length || record->stored_length > chunk_size ||
	    record->layer < 1 || record->layer > LAYERS_MAX || !class_table_valid(&record->classes))
		return false;
	table = record_table_offset(record) + RECORD_ENTRY_LENGTH * record_blocks(record);
	return record->payload_offset >= table &&
	       record->payload_offset <= round_up(table, ALIGNMENT) &&
	       record->payload_length <= record->stored_length &&
	       record_length(record) <= record_length_max(chunk_size, record->cell_size);
}

enum status record_decode(struct record *record, const uint8_t *raw, uint32_t chunk_size)
{
	if (piece_kind(raw) != PIECE_RECORD)
		return STATUS_NOT_OURS;
	if (get_le64(raw + AT_CHECKSUM) != format_checksum(raw, AT_CHECKSUM))
		return STATUS_DAMAGED;
	if (get_le64(raw + AT_FEATURES))
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
	record->runs = get_le32(raw + AT_RUNS);
	record->stored_length = get_le32(raw + AT_STORED_LENGTH);
	record->layer = raw[AT_LAYER];
	record->named = get_le16(raw + AT_NAMED);
	memcpy(record->classes.of, raw + AT_CLASSES, sizeof(record->classes.of));
	record->cell_size = get_le32(raw + AT_CELL_SIZE);
	record->list_checksum = get_le64(raw + AT_LIST_CHECKSUM);
	record->body_checksum = get_le64(raw + AT_BODY_CHECKSUM);
	return within_limits(record, chunk_size) ? STATUS_OK : STATUS_DAMAGED;
}

uint64_t record_checksum(const uint8_t *raw)
{
	return get_le64(raw + AT_CHECKSUM);
}

uint64_t record_body_checksum(const struct record *record, const uint8_t *raw)
{
	return format_checksum(raw + RECORD_HEADER_LENGTH,
			       record_end(record) - RECORD_HEADER_LENGTH);
}

static bool entry_valid(uint32_t entry, uint32_t block_length)
{
	uint32_t length = record_entry_length(entry);

	if ((record_entry_kind(entry) == BLOCK_COLUMNS) != (record_entry_row(entry) != 0))
		return false;
	switch (record_entry_kind(entry)) {
	case BLOCK_ZERO:
		return length == 0;
	case BLOCK_SAME:
		return length == BLOCK_SAME_LENGTH && length <= block_length;
	case BLOCK_STORED:
		return length == block_length;
	case BLOCK_PACKED:
	case BLOCK_COLUMNS:
		return length >= 1 && length < block_length;
	default:
		return false;
	}
}

enum status record_check_body(const struct record *record, const uint8_t *raw)
{
	const uint8_t *table = raw + record_table_offset(record);
	uint32_t blocks = record_blocks(record);
	uint64_t payload = 0;

	if (record_body_checksum(record, raw) != record->body_checksum || run_list_check(record, raw))
		return STATUS_DAMAGED;
	for (uint32_t i = 0; i < blocks; i++) {
		uint32_t entry = get_le32(table + RECORD_ENTRY_LENGTH * i);

		if (!entry_valid(entry, record_block_length(record, i)))
			return STATUS_DAMAGED;
		payload += record_entry_length(entry);
	}
	return payload == record->payload_length ? STATUS_OK : STATUS_DAMAGED;
}
