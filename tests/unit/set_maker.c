// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "corpus.h"
#include "helper.h"
#include "set/member.h"
#include "set_maker.h"

/* Not strings, since they have no zero at their end.  tests/vectors has hashes of sets with them. */
const struct capture_id maker_id = {
	{ { 'a', ' ', 'm', 'a', 'd', 'e', ' ', 's', 'e', 't', '\'', 's', ' ', 'o', 'w', 'n' } },
	0x6d616465
};
const struct capture_id maker_other_id = {
	{ { 'a', 'n', 'o', 't', 'h', 'e', 'r', ' ', 's', 'e', 't', '\'', 's', ' ', 'i', 'd' } },
	0x6f746872
};

void maker_init(struct maker *m, uint32_t number, uint32_t members, uint64_t source_size)
{
	*m = (struct maker){
		.superblock = {
			.id = maker_id,
			.number = number,
			.members = members,
			.block_size = MAKER_BLOCK,
			.chunk_size = MAKER_CHUNK,
			.source_size = source_size,
			.classes = class_table_plain(),
			.created = MAKER_CREATED,
			.codec = "lzo",
			.creator = "nsplit's tests",
			.source = "memory",
		},
		.codec = &codec_lzo,
	};
	m->segment = helper_pages(INDEX_SEGMENT_MAX);
}

void maker_free(struct maker *m)
{
	free(m->bytes);
	free(m->segment);
	*m = (struct maker){ 0 };
}

/* --- pieces -------------------------------------------------------------- */

size_t maker_add_bytes(struct maker *m, const void *bytes, size_t len)
{
	size_t offset = m->length;

	if (m->length + len > m->capacity) {
		m->capacity = 2 * (m->capacity + len);
		m->bytes = realloc(m->bytes, m->capacity);
		ck_assert_ptr_nonnull(m->bytes);
	}
	if (bytes)
		memcpy(m->bytes + offset, bytes, len);
	else
		memset(m->bytes + offset, 0, len);
	m->length += len;
	return offset;
}

size_t maker_begin(struct maker *m)
{
	uint8_t raw[SUPERBLOCK_LENGTH];

	if (!m->superblock.cell_size)
		m->superblock.cell_size = m->superblock.chunk_size;
	superblock_encode(&m->superblock, raw);
	return maker_add_bytes(m, raw, sizeof(raw));
}

void maker_list(struct maker *m, const struct index_entry *entry)
{
	index_entry_encode(entry, m->segment + INDEX_HEADER_LENGTH +
				  (size_t)INDEX_ENTRY_LENGTH * m->entries++);
}

/* Adds a packed chunk, which the index will list. */
static size_t add_chunk(struct maker *m, const struct chunk *chunk)
{
	const struct record *record = &chunk->record;
	size_t offset = maker_add_bytes(m, chunk->bytes, record_length(record));
	struct index_entry entry = index_entry_of(record, offset);

	m->footer.records++;
	m->footer.source_bytes += record->stored_length;
	m->footer.figures.first[CLASS_KERNEL] += record->stored_length;
	m->footer.figures.unreadable += record->source_length - record->stored_length;
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		m->footer.blocks[kind] += chunk->figures.blocks[kind];
	maker_list(m, &entry);
	return offset;
}

static struct record begin_record(const struct superblock *sb, uint64_t offset, uint32_t length)
{
	return (struct record){
		.id = sb->id,
		.source_offset = offset,
		.source_length = length,
		.layer = 1,
		.classes = sb->classes,
		.cell_size = sb->cell_size,
	};
}

/* What follows the first readable bytes is unreadable. */
static void add_list(struct chunk *chunk, uint32_t length, uint32_t readable)
{
	struct run runs[2];
	struct run_list list = { .runs = runs, .capacity = 2 };
	uint32_t stored = (uint32_t)divide_up(readable, GRANULE), all = (uint32_t)divide_up(length, GRANULE);

	if (stored)
		run_list_add(&list, &(struct run){ RUN_STORED, 0, stored });
	if (all > stored)
		run_list_add(&list, &(struct run){ RUN_UNREADABLE, 0, all - stored });
	run_list_encode(&list, &chunk->record, chunk->bytes);
}

static size_t pack_and_add(struct maker *m, const uint8_t *source, uint64_t offset,
			   uint32_t length, uint32_t readable)
{
	const struct superblock *sb = &m->superblock;
	uint32_t runs = (uint32_t)divide_up(length, GRANULE);
	struct chunk chunk = { .record = begin_record(sb, offset, length) };
	struct packer packer;
	struct error e;
	size_t at;

	ck_assert_int_eq(packer_init(&packer, m->codec, m->codec->level_default, sb->block_size,
				     &sb->id, &e), STATUS_OK);
	chunk.bytes = helper_pages(chunk_capacity(m->codec->bound(sb->block_size), sb->block_size,
						  sb->chunk_size, runs));
	packer.columns = helper_pages(sb->block_size);
	add_list(&chunk, length, readable);
	pack_begin(&packer, &chunk, sb->block_size);
	pack_as_columns(&chunk, m->row);
	if (readable)
		pack_add(&packer, &chunk, source, readable);
	pack_end(&chunk);
	at = add_chunk(m, &chunk);
	free(packer.columns);
	packer_free(&packer);
	free(chunk.bytes);
	return at;
}

size_t maker_add_record(struct maker *m, const uint8_t *source, uint64_t offset,
			uint32_t length)
{
	return pack_and_add(m, source + offset, offset, length, length);
}

size_t maker_add_partly(struct maker *m, const uint8_t *source, uint64_t offset, uint32_t length,
			uint32_t readable)
{
	return pack_and_add(m, source + offset, offset, length, readable);
}

size_t maker_add_unreadable(struct maker *m, uint64_t offset, uint32_t length)
{
	return pack_and_add(m, NULL, offset, length, 0);
}

size_t maker_add_index(struct maker *m)
{
	uint32_t length = index_segment_seal(m->segment, &m->superblock.id, m->previous,
						  m->entries);

	m->previous = m->length;
	m->entries = 0;
	return maker_add_bytes(m, m->segment, length);
}

size_t maker_add_footer(struct maker *m)
{
	uint8_t raw[FOOTER_LENGTH];

	if (m->entries)
		maker_add_index(m);
	m->footer.set = m->superblock;
	m->footer.offset = m->length;
	m->footer.index = m->previous;
	m->footer.finished = 1000000001;
	footer_encode(&m->footer, raw);
	return maker_add_bytes(m, raw, sizeof(raw));
}

/* --- files and sets ------------------------------------------------------ */

void maker_write(const struct maker *m, const char *name)
{
	helper_write_file(name, m->bytes, m->length);
}

void maker_write_part(const struct maker *m, const char *name, size_t len)
{
	ck_assert_uint_le(len, m->length);
	helper_write_file(name, m->bytes, len);
}

void maker_reseal(uint8_t *piece)
{
	switch (piece_kind(piece)) {
	case PIECE_RECORD:
		put_le64(piece + 120, format_checksum(piece, 120));
		break;
	case PIECE_INDEX:
		put_le64(piece + 40, format_checksum(piece + INDEX_HEADER_LENGTH,
						     (size_t)INDEX_ENTRY_LENGTH *
						     get_le32(piece + 32)));
		put_le64(piece + 56, format_checksum(piece, 56));
		break;
	default:
		put_le64(piece + 4088, format_checksum(piece, 4088));
	}
}

void maker_flip(struct maker *m, size_t at)
{
	ck_assert_uint_lt(at, m->length);
	m->bytes[at] ^= 0x10;
}

void maker_end(struct maker *m, const char *name)
{
	maker_add_footer(m);
	maker_write(m, name);
	maker_free(m);
}

void maker_make_set(const uint8_t *source, uint64_t size, uint32_t members,
		    const struct codec *codec)
{
	for (uint32_t number = 0; number < members; number++) {
		struct maker m;
		char name[16];

		maker_init(&m, number, members, size);
		if (codec)
			m.codec = codec;
		maker_begin(&m);
		for (uint64_t offset = number * (uint64_t)MAKER_CHUNK; offset < size;
		     offset += members * (uint64_t)MAKER_CHUNK)
			maker_add_record(&m, source, offset,
					 (uint32_t)min_u64(MAKER_CHUNK, size - offset));
		snprintf(name, sizeof(name), "m%u", number);
		maker_end(&m, name);
	}
}

uint8_t *maker_source(uint64_t size)
{
	uint8_t *bytes = helper_pages(size);

	for (uint64_t at = 0, i = 0; at < size; at += MAKER_BLOCK, i++)
		corpus_fill((enum corpus_kind)(i * 3 % CORPUS_KINDS), i, bytes + at,
			    min_u64(MAKER_BLOCK, size - at));
	return bytes;
}

void maker_make_plain(struct maker *m)
{
	uint8_t *source = maker_source(MAKER_PLAIN);

	maker_init(m, 0, 1, MAKER_PLAIN);
	maker_begin(m);
	for (uint64_t at = 0; at < MAKER_PLAIN; at += MAKER_CHUNK)
		maker_add_record(m, source, at, MAKER_CHUNK);
	maker_add_footer(m);
	free(source);
}

static void no_warning(void *arg, const struct error *e)
{
	(void)arg;
	ck_abort_msg("a warning: %s", e->text);
}

void maker_open(struct set *set, const char *members)
{
	const struct set_settings settings = { .warn = no_warning };
	struct names names = { 0 };
	struct error e;

	ck_assert_int_eq(names_expand(&names, members, MEMBERS_MAX, &e), STATUS_OK);
	ck_assert_msg(set_open(set, &names, &settings, &e) == STATUS_OK, "%s", e.text);
	names_free(&names);
}
