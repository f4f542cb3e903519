// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "gathered_sample.h"
#include "helper.h"
#include "piece_check.h"

/* Seventeen granules, of which three are stored; the last one is short. */
const struct run sample_runs[SAMPLE_RUNS] = {
	{ RUN_STORED, CLASS_KERNEL, 2, 0 },
	{ RUN_NAMED, CLASS_FREE, 10, 0 },
	{ RUN_ALIAS, CLASS_KERNEL, 3, 0x3000 },
	{ RUN_UNREADABLE, CLASS_KERNEL, 1, 0 },
	{ RUN_STORED, CLASS_CLEAN, 1, 0 },
};

enum { SAMPLE_LENGTH = 16 * 4096 + 100 };

/* Zeros, a repeated value, 100 bytes. */
static const uint32_t table[3] = { 0x00000000, 0x10000008, 0x20000064 };

static struct record empty(unsigned layer, uint64_t offset, uint32_t length)
{
	return (struct record){
		.id = piece_id,
		.source_offset = offset,
		.source_length = length,
		.block_size = 4096,
		.gathered = {
			.layer = layer,
			.classes = class_table_plain(),
			.cell_size = SAMPLE_CELL,
		},
	};
}

static void copy_runs(struct run_list *list, const struct run *runs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		ck_assert(run_list_add(list, &runs[i]));
}

void sample_seal(struct record *record, uint8_t *raw)
{
	record->gathered.list_checksum =
		format_checksum(raw + RECORD_HEADER_LENGTH,
				record_table_offset(record) - RECORD_HEADER_LENGTH);
	record->body_checksum = record_body_checksum(record, raw);
	record_encode(record, raw);
}

uint8_t *sample_record(struct record *record)
{
	uint8_t *raw = helper_pages(UNIT);
	struct run space[SAMPLE_RUNS];
	struct run_list list = { .runs = space, .capacity = SAMPLE_RUNS };
	uint32_t at;

	*record = empty(1, 0x5100000, SAMPLE_LENGTH);
	record->gathered.classes.of[CLASS_FREE] = class_entry(CLASS_PLANNED_OUT, 0);
	copy_runs(&list, sample_runs, SAMPLE_RUNS);
	run_list_encode(&list, record, raw);
	at = record_table_offset(record);
	for (size_t i = 0; i < LENGTH(table); i++)
		put_le32(raw + at + 4 * i, table[i]);
	record->payload_offset = at + 4 * LENGTH(table);
	record->payload_length = 108;
	for (uint32_t i = record->payload_offset; i < record_end(record); i++)
		raw[i] = (uint8_t)(i * 7);
	sample_seal(record, raw);
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
	raw = helper_pages(RECORD_HEADER_LENGTH + 12 * (size_t)count);
	run_list_encode(&list, record, raw);
	record->payload_offset = record_table_offset(record) +
				 RECORD_ENTRY_LENGTH * record_blocks(record);
	record_encode(record, raw);
	free(space);
	return raw;
}
