// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "record_sample.h"
#include "helper.h"
#include "piece_check.h"

/* Seventeen granules, of which three are stored; the last one is short. */
const struct run sample_runs[SAMPLE_RUNS] = {
	{ RUN_STORED, CLASS_KERNEL, 2 },
	{ RUN_NAMED, CLASS_FREE, 10 },
	{ RUN_ZERO, CLASS_KERNEL, 3 },
	{ RUN_UNREADABLE, CLASS_KERNEL, 1 },
	{ RUN_STORED, CLASS_CLEAN, 1 },
};

enum { SAMPLE_LENGTH = 16 * 4096 + 100, PLAIN_LENGTH = 4 * 4096 + 100, SAMPLE_BLOCKS = 5 };

/* The block table of sample_plain(): a block of each kind, and one more of zeros. */
static const uint32_t sample_table[SAMPLE_BLOCKS] = {
	0x00000000, 0x10000008, 0x300003e8, 0x00000000, 0x20000064
};

/* Zeros, a repeated value, 100 bytes. */
static const uint32_t table[3] = { 0x00000000, 0x10000008, 0x20000064 };

static struct record empty(unsigned layer, uint64_t offset, uint32_t length)
{
	return (struct record){
		.id = piece_id,
		.source_offset = offset,
		.source_length = length,
		.block_size = 4096,
		.layer = layer,
		.classes = class_table_plain(),
		.cell_size = SAMPLE_CELL,
	};
}

static void copy_runs(struct run_list *list, const struct run *runs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ck_assert(run_list_add(list, &runs[i]));
}

void sample_seal(struct record *record, uint8_t *raw)
{
	record->list_checksum = 0;
	if (record->runs)
		record->list_checksum = format_checksum(raw + RECORD_HEADER_LENGTH,
							RUN_LENGTH * (size_t)record->runs);
	record->body_checksum = record_body_checksum(record, raw);
	record_encode(record, raw);
}

static void put_blocks(struct record *record, uint8_t *raw, const uint32_t *entries, uint32_t count)
{
	uint32_t at = record_table_offset(record);

	record->payload_offset = at + RECORD_ENTRY_LENGTH * count;
	for (uint32_t i = 0; i < count; i++) {
		put_le32(raw + at + RECORD_ENTRY_LENGTH * i, entries[i]);
		record->payload_length += record_entry_length(entries[i]);
	}
	for (uint32_t i = record->payload_offset; i < record_end(record); i++)
		raw[i] = (uint8_t)(i * 7);
	sample_seal(record, raw);
}

uint8_t *sample_record(struct record *record)
{
	uint8_t *raw = helper_pages(ALIGNMENT);
	struct run space[SAMPLE_RUNS];
	struct run_list list = { .runs = space, .capacity = SAMPLE_RUNS };

	*record = empty(1, 0x5100000, SAMPLE_LENGTH);
	record->classes.of[CLASS_FREE] = class_entry(CLASS_PLANNED_OUT, 0);
	copy_runs(&list, sample_runs, SAMPLE_RUNS);
	run_list_encode(&list, record, raw);
	put_blocks(record, raw, table, LENGTH(table));
	return raw;
}

uint8_t *sample_plain(struct record *record)
{
	uint8_t *raw = helper_pages(ALIGNMENT);

	*record = empty(1, 0x0123456789aaa000, PLAIN_LENGTH);
	record->codec = 1;
	record->cell_size = SAMPLE_CHUNK;
	record->stored_length = PLAIN_LENGTH;
	put_blocks(record, raw, sample_table, SAMPLE_BLOCKS);
	return raw;
}

uint8_t *sample_list(struct record *record, const struct run *runs, uint32_t count, unsigned layer,
		     uint64_t offset)
{
	struct run *space = (struct run *)(void *)helper_pages((count + 1) * sizeof(*space));
	struct run_list list = { .runs = space, .capacity = count };
	uint32_t granules = 0;
	uint8_t *raw;

	for (uint32_t i = 0; i < count; i++)
		granules += runs[i].granules;
	*record = empty(layer, offset, granules * GRANULE);
	copy_runs(&list, runs, count);
	raw = helper_pages(RECORD_HEADER_LENGTH + RUN_LENGTH * (size_t)count);
	run_list_encode(&list, record, raw);
	record->payload_offset = record_table_offset(record) +
				 RECORD_ENTRY_LENGTH * record_blocks(record);
	record_encode(record, raw);
	free(space);
	return raw;
}
