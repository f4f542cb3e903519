// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "format/record.h"
#include "helper.h"
#include "member_check.h"

/* Each assertion of check makes a system call, and many bytes are compared. */
#define CHECK(condition, ...) \
	do { if (!(condition)) ck_abort_msg(__VA_ARGS__); } while (0)

/* --- one record ---------------------------------------------------------- */

static void unpack_block(const struct codec *codec, void *unpacker, uint32_t entry,
			 const uint8_t *src, uint8_t *dst, uint32_t len)
{
	switch (record_entry_kind(entry)) {
	case BLOCK_ZERO:
		memset(dst, 0, len);
		break;
	case BLOCK_SAME:
		for (uint32_t i = 0; i < len; i++)
			dst[i] = src[i % BLOCK_SAME_LENGTH];
		break;
	case BLOCK_STORED:
		memcpy(dst, src, len);
		break;
	case BLOCK_PACKED:
		CHECK(codec, "a packed block, and no codec for it");
		CHECK(codec->unpack(unpacker, src, record_entry_length(entry), dst, len),
		      "a block does not unpack");
		break;
	default:
		CHECK(false, "a block of kind %u", record_entry_kind(entry));
	}
}

/* The stored bytes, to be freed. */
static uint8_t *unpack_blocks(const struct record *record, const uint8_t *raw, uint64_t *blocks)
{
	const struct codec *codec = record->codec ? codec_by_id(record->codec) : NULL;
	void *unpacker = codec && codec->unpacker_new ? codec->unpacker_new() : NULL;
	const uint8_t *table = raw + record_table_offset(record), *payload = raw + record->payload_offset;
	uint8_t *stored = malloc(record->stored_length + 1);

	CHECK(stored, "out of memory");
	for (uint32_t i = 0; i < record_blocks(record); i++) {
		uint32_t entry = get_le32(table + RECORD_ENTRY_LENGTH * i);

		unpack_block(codec, unpacker, entry, payload, stored + (size_t)i * record->block_size,
			     record_block_length(record, i));
		payload += record_entry_length(entry);
		if (blocks)
			blocks[record_entry_kind(entry)]++;
	}
	if (unpacker)
		codec->unpacker_free(unpacker);
	return stored;
}

/* Compares the runs of a record with the bytes of its range. */
static void check_runs(const struct record *record, const uint8_t *raw, const uint8_t *stored,
		       const uint8_t *want)
{
	struct run_cursor c = run_cursor_begin(record, raw);
	struct run_place p;

	while (run_cursor_next(&c, &p)) {
		const uint8_t *at = want + (p.offset - record->source_offset);

		CHECK(p.run.kind == RUN_STORED ? !memcmp(stored + p.stored_at, at, p.length) :
						 bytes_are_zero(at, p.length),
		      "bytes %llu to %llu are not the source's", (unsigned long long)p.offset,
		      (unsigned long long)(p.offset + p.length - 1));
	}
}

uint32_t member_check_record(const uint8_t *raw, const struct capture_id *id, uint32_t chunk_size,
			     const uint8_t *want, uint64_t *blocks)
{
	struct record record;
	enum status status = record_decode(&record, raw, chunk_size);
	uint8_t *stored;

	CHECK(status == STATUS_OK, "a record's header: status %d", status);
	CHECK(capture_id_equal(&record.id, id), "a record of another set");
	status = record_check_body(&record, raw);
	CHECK(status == STATUS_OK, "a record's body: status %d", status);
	for (uint32_t i = record_end(&record); i < record_length(&record); i++)
		CHECK(raw[i] == 0, "the padding is not zero");
	stored = unpack_blocks(&record, raw, blocks);
	if (want)
		check_runs(&record, raw, stored, want);
	free(stored);
	return record_length(&record);
}

/* --- a whole member ------------------------------------------------------ */

struct walk {
	struct copy *copy;
	struct member_facts *facts;
	const uint8_t *bytes;
	uint64_t length, at;
	uint64_t *offsets;		/* of the records in the member */
	uint64_t source_bytes;
	uint64_t blocks[BLOCK_KINDS];
	uint64_t last_segment;
};

/* Stored, or zeros. */
static uint64_t kept_bytes(const struct record *record, const uint8_t *raw)
{
	struct run_cursor c = run_cursor_begin(record, raw);
	struct run_place p;
	uint64_t bytes = 0;

	while (run_cursor_next(&c, &p))
		bytes += p.run.kind == RUN_STORED || p.run.kind == RUN_ZERO ? p.length : 0;
	return bytes;
}

static void walk_record(struct walk *w)
{
	struct copy *copy = w->copy;
	struct record record;
	uint64_t chunk;

	CHECK(record_decode(&record, w->bytes + w->at, copy->chunk_size) == STATUS_OK &&
	      w->at + record_length(&record) <= w->length, "a record's header at %llu",
	      (unsigned long long)w->at);
	chunk = record.source_offset / copy->chunk_size;
	CHECK(record.source_offset % copy->chunk_size == 0 && chunk < copy->chunks &&
	      record.source_length == min_u64(copy->chunk_size,
					      copy->size - record.source_offset),
	      "the record at %llu is not a chunk of the source", (unsigned long long)w->at);
	CHECK(record.block_size == copy->block_size || record.block_size == BLOCK_SIZE_MIN,
	      "blocks of %u bytes", record.block_size);
	w->facts->order = realloc(w->facts->order, (w->facts->records + 1) * sizeof(uint64_t));
	w->offsets = realloc(w->offsets, (w->facts->records + 1) * sizeof(uint64_t));
	CHECK(w->facts->order && w->offsets, "out of memory");
	w->facts->order[w->facts->records] = chunk;
	w->offsets[w->facts->records++] = w->at;
	w->facts->unreadable += record.unreadable;
	w->source_bytes += kept_bytes(&record, w->bytes + w->at);
	copy->seen[chunk]++;
	w->at += member_check_record(w->bytes + w->at, &copy->id, copy->chunk_size,
				     copy->source ? copy->source + record.source_offset : NULL,
				     w->blocks);
}

static void walk_segment(struct walk *w)
{
	struct index_header header;

	CHECK(index_header_decode(&header, w->bytes + w->at) == STATUS_OK &&
	      capture_id_equal(&header.id, &w->copy->id), "an index segment's header");
	CHECK(w->at + header.length <= w->length, "an index segment is cut");
	CHECK(header.previous == w->last_segment, "a segment does not point to the one before");
	w->last_segment = w->at;
	w->at += header.length;
	w->facts->segments++;
}

/* Of the records so far, in the order in which they are in the member. */
static void check_root(const struct walk *w, const struct footer *footer)
{
	uint8_t want[ROOT_LENGTH];
	struct digest root;

	if (!footer->has_root)
		return;
	digest_begin(&root);
	for (unsigned i = 0; i < w->facts->records; i++)
		root_add(&root, get_le64(w->bytes + w->offsets[i] + 120));
	digest_get(&root, want);
	CHECK(memcmp(footer->root, want, ROOT_LENGTH) == 0, "a footer's root");
}

static void walk_footer(struct walk *w)
{
	struct footer *footer = &w->facts->footer;

	CHECK(footer_decode(footer, w->bytes + w->at) == STATUS_OK &&
	      capture_id_equal(&footer->set.id, &w->copy->id), "a footer at %llu",
	      (unsigned long long)w->at);
	CHECK(footer->offset == w->at, "a footer has a wrong offset");
	CHECK(footer->index == w->last_segment, "a footer names another segment");
	CHECK(footer->records == w->facts->records, "a footer with %llu records, and %u seen",
	      (unsigned long long)footer->records, w->facts->records);
	CHECK(footer->source_bytes == w->source_bytes, "a footer's source bytes");
	CHECK(memcmp(footer->blocks, w->blocks, sizeof(w->blocks)) == 0, "a footer's blocks");
	check_root(w, footer);
	w->at += FOOTER_LENGTH;
	w->facts->footers++;
}

static void check_superblock(struct walk *w, uint32_t number)
{
	const struct superblock *sb = &w->facts->superblock, *again = &w->facts->footer.set;

	CHECK(capture_id_equal(&sb->id, &w->copy->id), "a superblock of another set");
	CHECK(sb->number == number && again->number == number, "the member's number");
	CHECK(sb->members == w->copy->members && again->members == sb->members, "K");
	CHECK(sb->block_size == w->copy->block_size && again->block_size == sb->block_size,
	      "the block size");
	CHECK(sb->chunk_size == w->copy->chunk_size && again->chunk_size == sb->chunk_size,
	      "the chunk size");
	CHECK(sb->created == again->created && strcmp(sb->codec, again->codec) == 0 &&
	      strcmp(sb->creator, again->creator) == 0 &&
	      strcmp(sb->source, again->source) == 0, "the footer repeats the superblock");
}

/*
 * Checks one segment, which lists the last of the first *left records; subtracts these from *left.
 */
static uint64_t check_segment(const struct walk *w, uint64_t at, unsigned *left)
{
	struct index_header header;

	CHECK(index_header_decode(&header, w->bytes + at) == STATUS_OK &&
	      index_check_entries(&header, w->bytes + at) == STATUS_OK, "an index segment");
	CHECK(header.count <= *left, "the index lists more records than there are");
	*left -= header.count;
	for (uint32_t i = 0; i < header.count; i++) {
		const uint8_t *raw = w->bytes + at + INDEX_HEADER_LENGTH + INDEX_ENTRY_LENGTH * i;
		uint64_t offset = w->offsets[*left + i];
		struct index_entry entry;
		struct record record;

		CHECK(index_entry_decode(&entry, raw, w->copy->chunk_size, w->copy->chunk_size) == STATUS_OK,
		      "an index entry");
		CHECK(entry.member_offset == offset && offset < at, "an entry's offset");
		record_decode(&record, w->bytes + offset, w->copy->chunk_size);
		CHECK(entry.source_offset == record.source_offset &&
		      entry.source_length == record.source_length &&
		      entry.record_length == record_length(&record) &&
		      entry.unreadable == record.unreadable && entry.named == record.named &&
		      entry.layer == record.layer &&
		      entry.stored == divide_up(record.stored_length, GRANULE), "an entry and its record differ");
	}
	return header.previous;
}

void member_check(struct copy *copy, const uint8_t *bytes, uint64_t length, uint32_t number,
		  struct member_facts *facts)
{
	struct walk w = { .copy = copy, .facts = facts, .bytes = bytes, .length = length };
	unsigned left;

	*facts = (struct member_facts){ 0 };
	CHECK(length >= SUPERBLOCK_LENGTH + FOOTER_LENGTH && length % ALIGNMENT == 0,
	      "a member of %llu bytes", (unsigned long long)length);
	CHECK(superblock_decode(&facts->superblock, bytes) == STATUS_OK, "the superblock");
	for (w.at = SUPERBLOCK_LENGTH; w.at < length; ) {
		enum piece_kind kind = piece_kind(bytes + w.at);

		CHECK(kind >= PIECE_RECORD, "no piece at %llu", (unsigned long long)w.at);
		if (kind == PIECE_RECORD)
			walk_record(&w);
		else if (kind == PIECE_INDEX)
			walk_segment(&w);
		else
			walk_footer(&w);
	}
	CHECK(facts->footers && facts->footer.offset == length - FOOTER_LENGTH,
	      "the last piece is not a footer");
	check_superblock(&w, number);
	left = facts->records;
	for (uint64_t at = facts->footer.index; at; )
		at = check_segment(&w, at, &left);
	CHECK(left == 0, "%u records are not in the index", left);
	free(w.offsets);
}

void member_facts_free(struct member_facts *facts)
{
	free(facts->order);
}

/* --- the set ------------------------------------------------------------- */

void copy_init(struct copy *copy, const struct capture_id *id, uint32_t block_size,
	       uint32_t chunk_size, uint32_t members, const uint8_t *source, uint64_t size)
{
	*copy = (struct copy){
		.id = *id,
		.block_size = block_size,
		.chunk_size = chunk_size,
		.members = members,
		.source = source,
		.size = size,
		.chunks = divide_up(size, chunk_size),
	};
	copy->seen = calloc(copy->chunks + 1, sizeof(*copy->seen));
	CHECK(copy->seen, "out of memory");
}

void copy_free(struct copy *copy)
{
	free(copy->seen);
}

void copy_assert_perfect(const struct copy *copy)
{
	for (uint64_t i = 0; i < copy->chunks; i++)
		CHECK(copy->seen[i] == 1, "chunk %llu of %llu is held %u times",
		      (unsigned long long)i, (unsigned long long)copy->chunks, copy->seen[i]);
}
