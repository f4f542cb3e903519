// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/index.h"

/* Offsets of section 6, in the header and in an entry; and of section 17 in a gathered entry. */
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

	GATHERED_AT_RANGE = 16,
	GATHERED_AT_UNITS = 20,
	GATHERED_AT_NAMED = 22,
	GATHERED_AT_UNREADABLE = 24,
	GATHERED_AT_STORED = 26,
};

/* A range is one integer: layer, length. */
enum { LAYER_SHIFT = 28, RANGE_LENGTH_MASK = (1 << LAYER_SHIFT) - 1 };

_Static_assert(sizeof(struct index_entry) == INDEX_ENTRY_LENGTH, "the memory of readers");

uint32_t index_segment_length(uint32_t count)
{
	return (uint32_t)round_up(INDEX_HEADER_LENGTH + (uint64_t)INDEX_ENTRY_LENGTH * count,
				  UNIT);
}

uint32_t index_segment_capacity(uint32_t bytes)
{
	return (bytes - INDEX_HEADER_LENGTH) / INDEX_ENTRY_LENGTH;
}

struct index_entry index_entry_of(const struct record *record, uint64_t member_offset)
{
	const struct gathered *g = &record->gathered;

	return (struct index_entry){
		.member_offset = member_offset,
		.source_offset = record->source_offset,
		.source_length = record->source_length & RANGE_LENGTH_MASK,
		.record_length = record_length(record),
		.unreadable = record->unreadable,
		.stored = (uint16_t)divide_up(g->stored_length, GRANULE),
		.named = (uint16_t)(g->named | (g->aliases ? INDEX_HAS_ALIASES : 0)),
		.layer = g->layer & LAYERS_MAX,
	};
}

static void encode_gathered(const struct index_entry *entry, uint8_t *raw)
{
	put_le32(raw + GATHERED_AT_RANGE, entry->source_length |
					  (uint32_t)entry->layer << LAYER_SHIFT);
	put_le16(raw + GATHERED_AT_UNITS, (uint16_t)(entry->record_length / UNIT));
	put_le16(raw + GATHERED_AT_NAMED, entry->named);
	put_le16(raw + GATHERED_AT_UNREADABLE, (uint16_t)entry->unreadable);
	put_le16(raw + GATHERED_AT_STORED, entry->stored);
}

void index_entry_encode(const struct index_entry *entry, uint8_t *raw)
{
	memset(raw, 0, INDEX_ENTRY_LENGTH);
	put_le64(raw + ENTRY_AT_MEMBER_OFFSET, entry->member_offset);
	put_le64(raw + ENTRY_AT_SOURCE_OFFSET, entry->source_offset);
	if (entry->layer) {
		encode_gathered(entry, raw);
		return;
	}
	put_le32(raw + ENTRY_AT_SOURCE_LENGTH, entry->source_length);
	put_le32(raw + ENTRY_AT_RECORD_LENGTH, entry->record_length);
	put_le32(raw + ENTRY_AT_UNREADABLE, entry->unreadable);
}

/* The limits of all entries, with the greatest length of a range and of a record. */
static bool entry_within_limits(const struct index_entry *entry, uint32_t source_most,
				uint32_t record_most)
{
	return entry->member_offset <= OFFSET_MAX - entry->record_length &&
	       entry->member_offset % UNIT == 0 &&
	       entry->source_offset <= OFFSET_MAX - entry->source_length &&
	       entry->source_offset % BLOCK_SIZE_MIN == 0 &&
	       entry->source_length >= 1 && entry->source_length <= source_most &&
	       entry->record_length >= UNIT && entry->record_length % UNIT == 0 &&
	       entry->record_length <= record_most;
}

enum status index_entry_decode(struct index_entry *entry, const uint8_t *raw,
			       uint32_t chunk_size)
{
	uint32_t source_length = get_le32(raw + ENTRY_AT_SOURCE_LENGTH);

	if (source_length > CHUNK_SIZE_MAX)
		return STATUS_DAMAGED;
	*entry = (struct index_entry){
		.member_offset = get_le64(raw + ENTRY_AT_MEMBER_OFFSET),
		.source_offset = get_le64(raw + ENTRY_AT_SOURCE_OFFSET),
		.source_length = source_length & RANGE_LENGTH_MASK,
		.record_length = get_le32(raw + ENTRY_AT_RECORD_LENGTH),
		.unreadable = get_le32(raw + ENTRY_AT_UNREADABLE),
	};
	return entry_within_limits(entry, chunk_size, record_length_max(chunk_size)) ?
	       STATUS_OK : STATUS_DAMAGED;
}

/* The fields that only an entry of a gathered record has; its range has been checked. */
static bool gathered_within_limits(const struct index_entry *entry, uint32_t chunk_size)
{
	uint64_t granules = divide_up(entry->source_length, GRANULE);

	return entry->layer >= 1 &&
	       (entry->layer == 1 || !entry->named) &&
	       entry->unreadable + (uint64_t)entry->stored <= granules &&
	       entry->stored <= divide_up(chunk_size, GRANULE);
}

enum status index_entry_decode_gathered(struct index_entry *entry, const uint8_t *raw,
					uint32_t chunk_size, uint32_t cell_size)
{
	uint32_t range = get_le32(raw + GATHERED_AT_RANGE);
	uint64_t rest;

	*entry = (struct index_entry){
		.member_offset = get_le64(raw + ENTRY_AT_MEMBER_OFFSET),
		.source_offset = get_le64(raw + ENTRY_AT_SOURCE_OFFSET),
		.source_length = range & RANGE_LENGTH_MASK,
		.record_length = (uint32_t)get_le16(raw + GATHERED_AT_UNITS) * UNIT,
		.unreadable = get_le16(raw + GATHERED_AT_UNREADABLE),
		.stored = get_le16(raw + GATHERED_AT_STORED),
		.named = get_le16(raw + GATHERED_AT_NAMED),
		.layer = range >> LAYER_SHIFT & LAYERS_MAX,
	};
	rest = cell_size - entry->source_offset % cell_size;
	return entry_within_limits(entry, (uint32_t)rest,
				   record_length_max_gathered(chunk_size, cell_size)) &&
	       gathered_within_limits(entry, chunk_size) ? STATUS_OK : STATUS_DAMAGED;
}

/* The only class that this layer stores.  False: there are more, or none. */
static bool only_class_of(const struct class_table *classes, unsigned layer, unsigned *number)
{
	unsigned found = 0;

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
	if (!entry->layer || entry->unreadable)
		return false;
	if (entry->stored == granules)
		return !named && only_class_of(classes, entry->layer, &run->class_number);
	/* A record with one run and no blocks is no longer than this. */
	if (entry->stored || entry->record_length != UNIT || named & INDEX_HAS_ALIASES ||
	    __builtin_popcount(named) != 1)
		return false;
	run->kind = RUN_NAMED;
	run->class_number = (unsigned)__builtin_ctz(named);
	return true;
}

/* The header has no space for the tag (section 6), so each entry has it. */
static void tag_entries(uint8_t *raw, uint32_t count, uint32_t tag)
{
	uint8_t *entry = raw + INDEX_HEADER_LENGTH;

	for (uint32_t i = 0; i < count; i++, entry += INDEX_ENTRY_LENGTH)
		put_le32(entry + ENTRY_AT_CAPTURE_TAG, tag);
}

uint32_t index_segment_seal_with(uint8_t *raw, const struct capture_id *id, uint64_t previous,
				 uint32_t count, uint64_t features)
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
	put_le64(raw + AT_FEATURES, features);
	put_le64(raw + AT_CHECKSUM, format_checksum(raw, AT_CHECKSUM));
	return length;
}

enum status index_header_decode_with(struct index_header *header, const uint8_t *raw,
				     uint64_t features)
{
	if (piece_kind(raw) != PIECE_INDEX)
		return STATUS_NOT_OURS;
	if (get_le64(raw + AT_CHECKSUM) != format_checksum(raw, AT_CHECKSUM))
		return STATUS_DAMAGED;
	header->features = get_le64(raw + AT_FEATURES);
	if (header->features & ~features)
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
