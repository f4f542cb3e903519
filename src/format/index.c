// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/index.h"
#include "format/record.h"

/* Offsets of section 6, in the header and in an entry. */
enum {
	AT_UUID = 8,
	AT_PREVIOUS = 24,
	AT_COUNT = 32,
	AT_LENGTH = 36,
	AT_ENTRIES_CHECKSUM = 40,
	AT_FEATURES = 48,
	AT_CHECKSUM = 56,

	ENTRY_AT_MEMBER_OFFSET = 0,
	ENTRY_AT_SOURCE_OFFSET = 8,
	ENTRY_AT_SOURCE_LENGTH = 16,
	ENTRY_AT_RECORD_LENGTH = 20,
	ENTRY_AT_UNREADABLE = 24,
	ENTRY_AT_CAPTURE_TAG = 28,
};

uint32_t index_segment_length(uint32_t count)
{
	return (uint32_t)round_up(INDEX_HEADER_LENGTH + (uint64_t)INDEX_ENTRY_LENGTH * count,
				  UNIT);
}

uint32_t index_segment_capacity(uint32_t bytes)
{
	return (bytes - INDEX_HEADER_LENGTH) / INDEX_ENTRY_LENGTH;
}

void index_entry_encode(const struct index_entry *entry, uint8_t *raw)
{
	memset(raw, 0, INDEX_ENTRY_LENGTH);
	put_le64(raw + ENTRY_AT_MEMBER_OFFSET, entry->member_offset);
	put_le64(raw + ENTRY_AT_SOURCE_OFFSET, entry->source_offset);
	put_le32(raw + ENTRY_AT_SOURCE_LENGTH, entry->source_length);
	put_le32(raw + ENTRY_AT_RECORD_LENGTH, entry->record_length);
	put_le32(raw + ENTRY_AT_UNREADABLE, entry->unreadable);
}

enum status index_entry_decode(struct index_entry *entry, const uint8_t *raw,
			       uint32_t chunk_size)
{
	entry->member_offset = get_le64(raw + ENTRY_AT_MEMBER_OFFSET);
	entry->source_offset = get_le64(raw + ENTRY_AT_SOURCE_OFFSET);
	entry->source_length = get_le32(raw + ENTRY_AT_SOURCE_LENGTH);
	entry->record_length = get_le32(raw + ENTRY_AT_RECORD_LENGTH);
	entry->unreadable = get_le32(raw + ENTRY_AT_UNREADABLE);
	if (entry->member_offset > OFFSET_MAX - entry->record_length ||
	    entry->member_offset % UNIT ||
	    entry->source_offset > OFFSET_MAX - entry->source_length ||
	    entry->source_offset % BLOCK_SIZE_MIN ||
	    entry->source_length < 1 || entry->source_length > chunk_size ||
	    entry->record_length < UNIT || entry->record_length % UNIT ||
	    entry->record_length > record_length_max(chunk_size))
		return STATUS_DAMAGED;
	return STATUS_OK;
}

/* The header has no space for the tag (section 6), so each entry has it. */
static void tag_entries(uint8_t *raw, uint32_t count, uint32_t tag)
{
	uint8_t *entry = raw + INDEX_HEADER_LENGTH;

	for (uint32_t i = 0; i < count; i++, entry += INDEX_ENTRY_LENGTH)
		put_le32(entry + ENTRY_AT_CAPTURE_TAG, tag);
}

uint32_t index_segment_seal(uint8_t *raw, const struct capture_id *id, uint64_t previous,
			    uint32_t count)
{
	uint32_t length = index_segment_length(count);
	uint32_t used = INDEX_HEADER_LENGTH + INDEX_ENTRY_LENGTH * count;

	memset(raw, 0, INDEX_HEADER_LENGTH);
	memset(raw + used, 0, length - used);
	memcpy(raw, piece_magic(PIECE_INDEX), FORMAT_MAGIC_LENGTH);
	memcpy(raw + AT_UUID, id->uuid.bytes, UUID_LENGTH);
	tag_entries(raw, count, id->tag);
	put_le64(raw + AT_PREVIOUS, previous);
	put_le32(raw + AT_COUNT, count);
	put_le32(raw + AT_LENGTH, length);
	put_le64(raw + AT_ENTRIES_CHECKSUM,
		 format_checksum(raw + INDEX_HEADER_LENGTH, used - INDEX_HEADER_LENGTH));
	put_le64(raw + AT_CHECKSUM, format_checksum(raw, AT_CHECKSUM));
	return length;
}

enum status index_header_decode(struct index_header *header, const uint8_t *raw)
{
	if (piece_kind(raw) != PIECE_INDEX)
		return STATUS_NOT_OURS;
	if (get_le64(raw + AT_CHECKSUM) != format_checksum(raw, AT_CHECKSUM))
		return STATUS_DAMAGED;
	if (get_le64(raw + AT_FEATURES))
		return STATUS_UNSUPPORTED;
	memcpy(header->id.uuid.bytes, raw + AT_UUID, UUID_LENGTH);
	header->id.tag = get_le32(raw + INDEX_HEADER_LENGTH + ENTRY_AT_CAPTURE_TAG);
	header->previous = get_le64(raw + AT_PREVIOUS);
	header->count = get_le32(raw + AT_COUNT);
	header->length = get_le32(raw + AT_LENGTH);
	header->entries_checksum = get_le64(raw + AT_ENTRIES_CHECKSUM);
	if (header->count < 1 || header->count > index_segment_capacity(INDEX_SEGMENT_MAX) ||
	    header->length != index_segment_length(header->count) ||
	    header->previous > OFFSET_MAX || header->previous % UNIT)
		return STATUS_DAMAGED;
	return STATUS_OK;
}

enum status index_check_entries(const struct index_header *header, const uint8_t *raw)
{
	uint64_t sum = format_checksum(raw + INDEX_HEADER_LENGTH,
				       (size_t)INDEX_ENTRY_LENGTH * header->count);

	return sum == header->entries_checksum ? STATUS_OK : STATUS_DAMAGED;
}
