// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "set/dump.h"
#include "set/plain.h"

enum status record_reader_init(struct record_reader *r, const struct set *set, struct error *e)
{
	*r = (struct record_reader){ 0 };
	r->raw = aligned_alloc(ALIGNMENT, set_record_length_max(set));
	if (!r->raw)
		return error_system(e, ENOMEM, "record buffer");
	return STATUS_OK;
}

void record_reader_free(struct record_reader *r)
{
	for (unsigned id = 0; id < CODEC_IDS_MAX; id++)
		if (r->unpackers[id])
			codec_by_id(id)->unpacker_free(r->unpackers[id]);
	free(r->raw);
	free(r->columns);
	*r = (struct record_reader){ 0 };
}

static enum status damaged(const struct record_reader *r, const char *what, struct error *e)
{
	return error_set(e, STATUS_DAMAGED, "%s: damaged at byte %" PRIu64 ": %s of bytes %" PRIu64
			 " to %" PRIu64 " of the source", r->member->name, r->offset, what,
			 r->record.source_offset,
			 r->record.source_offset + r->record.source_length - 1);
}

enum status record_reader_check(struct record_reader *r, struct error *e)
{
	if (record_check_body(&r->record, r->raw))
		return damaged(r, "record", e);
	return STATUS_OK;
}

bool record_matches_entry(const struct record *record, const struct index_entry *entry)
{
	struct index_entry is = index_entry_of(record, entry->member_offset);

	return is.source_offset == entry->source_offset &&
	       is.source_length == entry->source_length &&
	       is.record_length == entry->record_length &&
	       is.unreadable == entry->unreadable &&
	       is.layer == entry->layer && is.stored == entry->stored && is.named == entry->named;
}

enum status record_reader_load(struct record_reader *r, const struct set *set,
			       const struct location *location, struct error *e)
{
	const struct member *m = &set->members[location->member];
	const struct index_entry *entry = &location->entry;
	enum status status;

	if (m->plain)
		return plain_load(r, set, location, e);
	if (m->dump)
		return dump_load(r, set, location, e);
	r->member = m;
	r->offset = entry->member_offset;
	status = member_read(m, r->raw, entry->record_length, entry->member_offset, e);
	if (status)
		return status;
	status = member_decode_record(m, r->raw, set->chunk_size, &r->record);
	if (!status && !record_matches_entry(&r->record, entry))
		status = STATUS_DAMAGED;
	if (status)
		return member_verdict(m, status, entry->member_offset, "record", e);
	return record_reader_check(r, e);
}

/* The codec of the record; makes all memory that its blocks need. */
static enum status prepare_codec(struct record_reader *r, const struct codec **codec,
			      struct error *e)
{
	uint32_t id = r->record.codec;

	*codec = id < CODEC_IDS_MAX ? codec_by_id(id) : NULL;
	if (!*codec && codec_id_name(id))
		return error_set(e, STATUS_UNSUPPORTED, "%s: the record at byte %" PRIu64 " is "
				 "packed with %s, which this build does not support",
				 r->member->name, r->offset, codec_id_name(id));
	if (!*codec)
		return error_set(e, STATUS_UNSUPPORTED, "%s: the record at byte %" PRIu64 " is "
				 "packed with codec %" PRIu32 ", which this version does not support",
				 r->member->name, r->offset, id);
	if ((*codec)->unpacker_new && !r->unpackers[id])
		r->unpackers[id] = (*codec)->unpacker_new();
	if ((*codec)->unpacker_new && !r->unpackers[id])
		return error_system(e, ENOMEM, "codec %s", (*codec)->name);
	/* Space for a block of columns.  Most records have none, and never touch it. */
	if (r->record.block_size <= r->columns_size)
		return STATUS_OK;
	free(r->columns);
	r->columns = malloc(r->record.block_size);
	r->columns_size = r->columns ? r->record.block_size : 0;
	return r->columns ? STATUS_OK : error_system(e, ENOMEM, "record buffer");
}

void block_fill_same(uint8_t *dst, size_t len, const uint8_t *value)
{
	size_t i = 0;

	for (; i + BLOCK_SAME_LENGTH <= len; i += BLOCK_SAME_LENGTH)
		memcpy(dst + i, value, BLOCK_SAME_LENGTH);
	memcpy(dst + i, value, len - i);
}

/* record_check_body() has checked the table of blocks. */
static bool unpack_block(struct record_reader *r, const struct codec *codec, uint32_t entry,
			 const uint8_t *packed, uint8_t *dst, uint32_t length)
{
	switch (record_entry_kind(entry)) {
	case BLOCK_SAME:
		block_fill_same(dst, length, packed);
		return true;
	case BLOCK_STORED:
		memcpy(dst, packed, length);
		return true;
	case BLOCK_PACKED:
		return codec->unpack(r->unpackers[r->record.codec], packed,
				     record_entry_length(entry), dst, length);
	case BLOCK_COLUMNS:
		if (!codec->unpack(r->unpackers[r->record.codec], packed, record_entry_length(entry), r->columns, length))
			return false;
		columns_join(r->columns, length, record_entry_row(entry), dst);
		return true;
	default:
		return true;
	}
}

static uint32_t table_entry(const struct record_reader *r, uint32_t i)
{
	return get_le32(r->raw + record_table_offset(&r->record) + RECORD_ENTRY_LENGTH * i);
}

enum block_kind record_reader_kind(const struct record_reader *r, uint32_t i)
{
	return (enum block_kind)record_entry_kind(table_entry(r, i));
}

enum status record_reader_unpack(struct record_reader *r, uint8_t *dst, bool keep, struct error *e)
{
	const uint8_t *packed = r->raw + r->record.payload_offset;
	const struct codec *codec;
	enum status status = prepare_codec(r, &codec, e);

	if (status)
		return status;
	for (uint32_t i = 0; i < record_blocks(&r->record); i++) {
		uint32_t entry = table_entry(r, i);
		uint32_t length = record_block_length(&r->record, i);
		unsigned kind = record_entry_kind(entry);
		bool wanted = keep || kind == BLOCK_PACKED || kind == BLOCK_COLUMNS;

		if (wanted && !unpack_block(r, codec, entry, packed, dst, length))
			return damaged(r, "packed block", e);
		packed += record_entry_length(entry);
		dst += keep ? length : 0;
	}
	return STATUS_OK;
}

enum status record_reader_unpack_block(struct record_reader *r, uint32_t i, uint8_t *dst,
				       struct error *e)
{
	const uint8_t *packed = r->raw + r->record.payload_offset;
	uint32_t length = record_block_length(&r->record, i);
	const struct codec *codec;
	enum status status = prepare_codec(r, &codec, e);

	if (status)
		return status;
	for (uint32_t before = 0; before < i; before++)
		packed += record_entry_length(table_entry(r, before));
	memset(dst, 0, length);
	if (!unpack_block(r, codec, table_entry(r, i), packed, dst, length))
		return damaged(r, "packed block", e);
	return STATUS_OK;
}

struct block_cursor block_cursor_begin(const struct record_reader *r)
{
	return (struct block_cursor){ .reader = r, .at = r->record.payload_offset };
}

struct raw_block block_cursor_get(struct block_cursor *c, uint32_t i)
{
	uint32_t entry;

	for (; c->number < i; c->number++)
		c->at += record_entry_length(table_entry(c->reader, c->number));
	entry = table_entry(c->reader, i);
	return (struct raw_block){
		.kind = (enum block_kind)record_entry_kind(entry),
		.bytes = c->reader->raw + c->at,
		.length = record_entry_length(entry),
	};
}
