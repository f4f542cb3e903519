// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/index.h"

/* Offsets in the header and in an entry. */
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
	ENTRY_AT_RANGE = 16,
	ENTRY_AT_UNITS = 20,
	ENTRY_AT_NAMED = 22,
	ENTRY_AT_UNREADABLE = 24,
	ENTRY_AT_STORED = 26,
	ENTRY_AT_CAPTURE_TAG = 28,
};

/* A range is one integer: layer, length. */
enum { LAYER_SHIFT = 28, RANGE_LENGTH_MASK = (1 << LAYER_SHIFT) - 1 };

_Static_assert(sizeof(struct index_entry) == INDEX_ENTRY_LENGTH, "the memory of readers");

uint32_t index_segment_length(uint32_t count)
{
	return (uint32_t)round_up(INDEX_HEADER_LENGTH + (uint64_t)INDEX_ENTRY_LENGTH * count,
				  ALIGNMENT);
}

uint32_t index_segment_capacity(uint32_t bytes)
{
	return (bytes - INDEX_HEADER_LENGTH) / INDEX_ENTRY_LENGTH;
}

struct index_entry index_entry_of(const struct record *record, uint64_t member_offset)
{
	return (struct index_entry){
		.member_offset = member_offset,
		.source_offset = record->source_offset,
		.source_length = record->source_length & RANGE_LENGTH_MASK,
		.record_length = record_length(record),
		.unreadable = record->unreadable,
		.stored = (uint16_t)divide_up(record->stored_length, GRANULE),
		.named = record->named,
		.layer = record->layer & LAYERS_MAX,
	};
}

void index_entry_encode(const struct index_entry *entry, uint8_t *raw)
{
	memset(raw, 0, INDEX_ENTRY_LENGTH);
	put_le64(raw + ENTRY_AT_MEMBER_OFFSET, entry->member_offset);
	put_le64(raw + ENTRY_AT_SOURCE_OFFSET, entry->source_offset);
	put_le32(raw + ENTRY_AT_RANGE, entry->source_length | (uint32_t)entry->layer << LAYER_SHIFT);
	put_le16(raw + ENTRY_AT_UNITS, (uint16_t)(entry->record_length / ALIGNMENT));
	put_le16(raw + ENTRY_AT_NAMED, entry->named);
	put_le16(raw + ENTRY_AT_UNREADABLE, (uint16_t)entry->unreadable);
	put_le16(raw + ENTRY_AT_STORED, entry->stored);
}

static bool entry_within_limits(const struct index_entry *entry, uint32_t chunk_size,
				uint32_t cell_size)
{
	uint64_t granules = divide_up(entry->source_length, GRANULE);

	return entry->member_offset <= OFFSET_MAX - entry->record_length &&
	       entry->member_offset % ALIGNMENT == 0 &&
	       entry->source_offset <= OFFSET_MAX - entry->source_length &&
	       entry->source_offset % GRANULE == 0 &&
	       entry->source_length >= 1 &&
	       entry->source_length <= cell_size - entry->source_offset % cell_size &&
	       entry->record_length >= ALIGNMENT &&
	       entry->record_length <= record_length_max(chunk_size, cell_size) &&
	       entry->layer >= 1 &&
	       (entry->layer == 1 || !entry->named) &&
	       entry->unreadable + (uint64_t)entry->stored <= granules &&
	       entry->stored <= divide_up(chunk_size, GRANULE);
}

enum status index_entry_decode(struct index_entry *entry, const uint8_t *raw, uint32_t chunk_size,
			       uint32_t cell_size)
{
	uint32_t range = get_le32(raw + ENTRY_AT_RANGE);

	*entry = (struct index_entry){
		.member_offset = get_le64(raw + ENTRY_AT_MEMBER_OFFSET),
		.source_offset = get_le64(raw + ENTRY_AT_SOURCE_OFFSET),
		.source_length = range & RANGE_LENGTH_MASK,
		.record_length = (uint32_t)get_le16(raw + ENTRY_AT_UNITS) * ALIGNMENT,
		.unreadable = get_le16(raw + ENTRY_AT_UNREADABLE),
		.stored = get_le16(raw + ENTRY_AT_STORED),
		.named = get_le16(raw + ENTRY_AT_NAMED),
		.layer = range >> LAYER_SHIFT & LAYERS_MAX,
	};
	return entry_within_limits(entry, chunk_size, cell_size) ? STATUS_OK : STATUS_DAMAGED;
}

/* The only class that this layer stores.  False: there are more, or none. */
static bool only_class_of(const struct class_table *classes, unsigned layer, unsigned *number)
{
	unsigned found = 0;

	/* With one layer, classes are not told apart. */
	if (class_table_is_plain(classes)) {
		*number = CLASS_KERNEL;
		return true;
	}
	for (unsigned i = 0; i < CLASSES; i++) {
		if (class_layer(classes, i) != layer)
			continue;
		*number = i;
		found++;
	}
	return found == 1;
}

bool index_entry_describes(const struct index_entry *entry, const struct class_table *classes,
			   struct run *run)
{
	uint32_t granules = (uint32_t)divide_up(entry->source_length, GRANULE);
	unsigned named = entry->named;

	*run = (struct run){ .kind = RUN_STORED, .granules = granules };
	if (entry->unreadable)
		return false;
	if (entry->stored == granules)
		return !named && only_class_of(classes, entry->layer, &run->class_number);
	/* A record with one run and no blocks is no longer than this. */
	if (entry->stored || entry->record_length != ALIGNMENT || __builtin_popcount(named) != 1)
		return false;
	run->kind = named == NAMED_ZERO ? RUN_ZERO : RUN_NAMED;
	run->class_number = (unsigned)__builtin_ctz(named);
	return true;
}

/* The header has no space for the tag, so each entry has it. */
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
	    header->previous > OFFSET_MAX || header->previous % ALIGNMENT)
		return STATUS_DAMAGED;
	return STATUS_OK;
}

enum status index_check_entries(const struct index_header *header, const uint8_t *raw)
{
	uint64_t sum = format_checksum(raw + INDEX_HEADER_LENGTH,
				       (size_t)INDEX_ENTRY_LENGTH * header->count);

	return sum == header->entries_checksum ? STATUS_OK : STATUS_DAMAGED;
}
