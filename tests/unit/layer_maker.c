// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/record.h"
#include "helper.h"
#include "layer_maker.h"

void maker_set_layers(struct superblock *superblock, uint32_t cell_size)
{
	superblock->cell_size = cell_size;
	superblock->classes = class_table_plain();
	superblock->second.count = 0;
}

void maker_add_second(struct superblock *superblock, uint64_t offset, uint64_t length, uint64_t target)
{
	struct second_places *places = &superblock->second;

	ck_assert_uint_lt(places->count, SECOND_PLACES_MAX);
	places->list[places->count++] = (struct second_place){ offset, length, target };
	superblock->classes.of[CLASS_SECOND] = class_entry(CLASS_TWICE, 0);
}

static struct record begin_record(const struct maker *m, unsigned layer, uint64_t offset,
				  const struct run *runs, uint32_t count)
{
	uint64_t length = 0;

	for (uint32_t i = 0; i < count; i++)
		length += (uint64_t)GRANULE * runs[i].granules;
	return (struct record){
		.id = m->superblock.id,
		.source_offset = offset,
		.source_length = (uint32_t)min_u64(length, m->superblock.source_size - offset),
		.block_size = m->superblock.block_size,
		.layer = layer,
		.classes = m->superblock.classes,
		.cell_size = m->superblock.cell_size,
	};
}

/* Counts the runs in the footer; returns the stored bytes, to be freed. */
static uint8_t *gather(struct maker *m, const struct record *record, const uint8_t *raw,
		       const uint8_t *source)
{
	struct layer_figures *f = &m->footer.figures;
	struct run_cursor c = run_cursor_begin(record, raw);
	uint8_t *stored = helper_pages(record->stored_length + 1);
	struct run_place p;

	m->footer.source_bytes += record->stored_length;
	while (run_cursor_next(&c, &p)) {
		bool first = record->layer == 1;

		if (p.run.kind == RUN_STORED) {
			memcpy(stored + p.stored_at, source + p.offset, p.length);
			(first ? f->first : f->later)[p.run.class_number] += p.length;
		} else if (p.run.kind == RUN_ZERO) {
			f->first[p.run.class_number] += p.length;
			m->footer.source_bytes += p.length;
		} else if (p.run.kind == RUN_NAMED) {
			f->named[p.run.class_number] += p.length;
		} else if (p.run.kind == RUN_UNREADABLE) {
			f->unreadable += p.length;
		}
	}
	return stored;
}

/* Packs a block to dst and returns the entry of the block table. */
static uint32_t pack_block(struct packer *p, const uint8_t *data, uint32_t length, uint32_t row, uint8_t *dst)
{
	uint8_t *columns = helper_pages(length);
	size_t packed;

	if (bytes_are_zero(data, length)) {
		free(columns);
		return record_entry(BLOCK_ZERO, 0);
	}
	if (row)
		columns_split(data, length, row, columns);
	packed = packer_try(p, row ? columns : data, length, dst);
	free(columns);
	if (packed && packed < length)
		return row ? record_entry_columns((uint32_t)packed, row) : record_entry(BLOCK_PACKED, (uint32_t)packed);
	memcpy(dst, data, length);
	return record_entry(BLOCK_STORED, length);
}

static void pack_blocks(struct maker *m, struct record *record, uint8_t *raw, const uint8_t *stored)
{
	uint32_t table = record_table_offset(record), blocks = record_blocks(record);
	struct packer packer;
	struct error e;

	ck_assert_int_eq(packer_init(&packer, m->codec, m->codec->level_default, record->block_size,
				     &record->id, &e), STATUS_OK);
	record->codec = blocks ? m->codec->id : 0;
	record->payload_offset = table + RECORD_ENTRY_LENGTH * blocks;
	for (uint32_t i = 0; i < blocks; i++) {
		uint32_t length = record_block_length(record, i), kind;
		uint32_t entry = pack_block(&packer, stored, length, m->row, raw + record_end(record));

		put_le32(raw + table + RECORD_ENTRY_LENGTH * i, entry);
		kind = record_entry_kind(entry);
		m->footer.blocks[kind == BLOCK_COLUMNS ? BLOCK_PACKED : kind]++;
		record->payload_length += record_entry_length(entry);
		stored += length;
	}
	packer_free(&packer);
}

size_t maker_add_layered(struct maker *m, const uint8_t *source, unsigned layer, uint64_t offset,
			  const struct run *runs, uint32_t count)
{
	const struct superblock *sb = &m->superblock;
	uint8_t *raw = helper_pages(record_length_max(sb->chunk_size, sb->cell_size) +
				    m->codec->bound(sb->block_size));
	struct run *copy = (struct run *)(void *)helper_pages((count + 1) * sizeof(*copy));
	struct run_list list = { .runs = copy, .capacity = count };
	struct record record = begin_record(m, layer, offset, runs, count);
	struct index_entry entry;
	uint8_t *stored;
	size_t at;

	for (uint32_t i = 0; i < count; i++)
		ck_assert(run_list_add(&list, &runs[i]));
	run_list_encode(&list, &record, raw);
	ck_assert_uint_le(record.stored_length, sb->chunk_size);
	stored = gather(m, &record, raw, source);
	pack_blocks(m, &record, raw, stored);
	record.body_checksum = record_body_checksum(&record, raw);
	record_encode(&record, raw);
	at = maker_add_bytes(m, raw, record_length(&record));
	entry = index_entry_of(&record, at);
	maker_list(m, &entry);
	m->footer.records++;
	free(stored);
	free(copy);
	free(raw);
	return at;
}

size_t maker_add_checkpoint(struct maker *m, uint32_t whole)
{
	size_t at;

	m->footer.checkpoint = true;
	m->footer.whole = whole;
	at = maker_add_footer(m);
	m->footer.checkpoint = false;
	return at;
}

uint32_t maker_read_runs(const char *text, struct run *runs, uint32_t max)
{
	static const char letters[] = "snzue";
	uint32_t count = 0;

	while (*text && count < max) {
		const char *letter = strchr(letters, *text);
		struct run run = { 0 };
		int read = 0;

		if (!letter || sscanf(text + 1, "%" SCNu32 "%n", &run.granules, &read) != 1)
			return 0;
		run.kind = (enum run_kind)(letter - letters);
		text += 1 + read;
		read = 0;
		if (*text == '.' && sscanf(text, ".%u%n", &run.class_number, &read) == 1)
			text += read;
		if (*text && *text++ != ',')
			return 0;
		runs[count++] = run;
	}
	return count;
}
