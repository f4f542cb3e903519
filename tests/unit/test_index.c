// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 3, 8 and 11. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/record.h"
#include "helper.h"
#include "piece_check.h"
#include "record_sample.h"

enum { ENTRIES = 3 };

static enum status decode(const uint8_t *raw)
{
	struct index_header header;

	return index_header_decode(&header, raw);
}

static const struct piece_format piece = { decode, 56 };

static const struct index_entry sample = {
	.member_offset = 0x0102030405060000,
	.source_offset = 0x1112131415061000,
	.source_length = 0xfedcb,
	.layer = 1,
	.record_length = 0x23000,
	.unreadable = 0x54,
	.stored = 0x32,
	.named = 1 << CLASS_FREE | 1 << CLASS_CLEAN | NAMED_ZERO,
};

static void put_sample_entries(uint8_t *raw)
{
	for (uint32_t i = 0; i < ENTRIES; i++) {
		struct index_entry entry = sample;

		entry.source_offset += (uint64_t)i * SAMPLE_CHUNK;
		index_entry_encode(&entry, raw + INDEX_HEADER_LENGTH + INDEX_ENTRY_LENGTH * i);
	}
}

static const struct piece_change changes[] = {
	{ 48, 8, 1, STATUS_UNSUPPORTED },
	{ 48, 8, UINT64_C(1) << 63, STATUS_UNSUPPORTED },
	{ 24, 8, 0x2000, STATUS_OK },
	{ 24, 8, 0x7ffffffffffff000, STATUS_OK },
	{ 24, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 24, 8, 0x1001, STATUS_DAMAGED },
	{ 32, 4, 0, STATUS_DAMAGED },
	{ 32, 4, 126, STATUS_OK },
	{ 32, 4, 127, STATUS_DAMAGED },		/* not what the length says */
	{ 32, 4, 32767, STATUS_DAMAGED },
	{ 32, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 32, 4, 0x08000001, STATUS_DAMAGED },	/* 32 times that is 32, in 32 bits */
	{ 36, 4, 0, STATUS_DAMAGED },
	{ 36, 4, 8192, STATUS_DAMAGED },
	{ 36, 4, 4095, STATUS_DAMAGED },
};

START_TEST(test_change)
{
	uint8_t raw[4096];

	put_sample_entries(raw);
	index_segment_seal(raw, &piece_id, 0, ENTRIES);
	piece_check_change(&piece, raw, &changes[_i], true, changes[_i].want);
	piece_check_change(&piece, raw, &changes[_i], false, STATUS_DAMAGED);
}
END_TEST

/* Layer 1 stores the kernel, 2 the memory map, 3 two classes. */
static struct class_table table_of_layers(void)
{
	struct class_table table = class_table_plain();

	for (unsigned i = 1; i < CLASSES; i++)
		table.of[i] = class_entry(CLASS_LEFT_OUT, 0);
	table.of[CLASS_MAP] = class_entry(CLASS_SAVED, 2);
	table.of[CLASS_DIRTY] = table.of[CLASS_CLEAN] = class_entry(CLASS_SAVED, 3);
	return table;
}

/* Which entries say all that the runs of their record do. */
START_TEST(test_described)
{
	static const struct {
		unsigned layer, stored, unreadable, named, units;
		int kind;		/* -1: it does not */
		unsigned class_number;
	} cases[] = {
		{ 1, 4, 0, 0, 5, RUN_STORED, CLASS_KERNEL },
		{ 2, 4, 0, 0, 5, RUN_STORED, CLASS_MAP },
		{ 3, 4, 0, 0, 5, -1, 0 },
		{ 4, 4, 0, 0, 5, -1, 0 },
		{ 1, 3, 0, 0, 4, -1, 0 },
		{ 1, 3, 1, 0, 4, -1, 0 },
		{ 1, 4, 0, 1 << CLASS_FREE, 5, -1, 0 },
		{ 1, 4, 0, NAMED_ZERO, 5, -1, 0 },
		{ 1, 0, 0, 1 << CLASS_FREE, 1, RUN_NAMED, CLASS_FREE },
		{ 1, 0, 0, 1 << 15, 1, RUN_NAMED, 15 },
		{ 1, 0, 0, 1 << CLASS_FREE, 2, -1, 0 },
		{ 1, 0, 1, 1 << CLASS_FREE, 1, -1, 0 },
		{ 1, 0, 0, 1 << CLASS_FREE | NAMED_ZERO, 1, -1, 0 },
		{ 1, 0, 0, 1 << CLASS_FREE | 1 << CLASS_CLEAN, 1, -1, 0 },
		{ 1, 0, 0, NAMED_ZERO, 1, RUN_ZERO, 0 },
		{ 1, 0, 0, 0, 1, -1, 0 },
		{ 1, 0, 4, 0, 1, -1, 0 },
		{ 0, 0, 0, 0, 1, -1, 0 },
	};
	const struct class_table table = table_of_layers();

	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct index_entry entry = {
			.source_length = 3 * GRANULE + 1,
			.layer = cases[i].layer & LAYERS_MAX,
			.stored = (uint16_t)cases[i].stored,
			.unreadable = cases[i].unreadable,
			.named = (uint16_t)cases[i].named,
			.record_length = cases[i].units * ALIGNMENT,
		};
		struct run run;

		ck_assert_int_eq(index_entry_describes(&entry, &table, &run), cases[i].kind >= 0);
		if (cases[i].kind < 0)
			continue;
		ck_assert_int_eq(run.kind, cases[i].kind);
		ck_assert_uint_eq(run.class_number, cases[i].class_number);
		ck_assert_uint_eq(run.granules, 4);
	}
}
END_TEST

/* Offsets in the entry of a layer 2 record of 0x14 granules that stores 4. */
static const struct piece_change entry_changes[] = {
	{ 0, 8, ALIGNMENT, STATUS_OK },
	{ 0, 8, ALIGNMENT + 1, STATUS_DAMAGED },
	{ 0, 8, 0x7ffffffffffff000, STATUS_DAMAGED },
	{ 0, 8, UINT64_MAX, STATUS_DAMAGED },
	{ 8, 8, 0, STATUS_OK },
	{ 8, 8, 0xfec000, STATUS_OK },
	{ 8, 8, 0xfed000, STATUS_DAMAGED },		/* beyond the cell */
	{ 8, 8, 0x100800, STATUS_DAMAGED },
	{ 8, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 16, 4, 0x00014000, STATUS_DAMAGED },		/* layer 0 */
	{ 16, 4, 0xf0014000, STATUS_OK },
	{ 16, 4, 0x20f00000, STATUS_OK },		/* to the end of the cell */
	{ 16, 4, 0x20f00001, STATUS_DAMAGED },
	{ 16, 4, 0x20000000, STATUS_DAMAGED },
	{ 16, 4, 0x20004001, STATUS_OK },
	{ 16, 4, 0x20003000, STATUS_DAMAGED },		/* fewer granules than stored */
	{ 16, 4, 0x2fffffff, STATUS_DAMAGED },
	{ 20, 4, 0x00000000, STATUS_DAMAGED },		/* no record is so short */
	{ 20, 4, 0x00000001, STATUS_OK },
	{ 20, 4, 0x00000105, STATUS_OK },
	{ 20, 4, 0x00000106, STATUS_DAMAGED },		/* or so long */
	{ 20, 4, 0x01000001, STATUS_DAMAGED },		/* layer 2 names nothing */
	{ 24, 4, 0x00040010, STATUS_OK },
	{ 24, 4, 0x00040011, STATUS_DAMAGED },		/* more granules than the range has */
	{ 24, 4, 0x00050010, STATUS_DAMAGED },
	{ 24, 4, 0xffffffff, STATUS_DAMAGED },
	{ 28, 4, UINT32_MAX, STATUS_OK },
};

START_TEST(test_entry_change)
{
	const struct piece_change *change = &entry_changes[_i];
	const struct index_entry sample_entry = {
		.member_offset = ALIGNMENT, .source_offset = 0x100000, .source_length = 0x14000,
		.record_length = 2 * ALIGNMENT, .stored = 4, .layer = 2,
	};
	uint8_t raw[INDEX_ENTRY_LENGTH];
	struct index_entry entry;

	index_entry_encode(&sample_entry, raw);
	ck_assert_int_eq(index_entry_decode(&entry, raw, SAMPLE_CHUNK, SAMPLE_CELL),
			 STATUS_OK);
	if (change->bytes == 4)
		put_le32(raw + change->at, (uint32_t)change->value);
	else
		put_le64(raw + change->at, change->value);
	ck_assert_int_eq(index_entry_decode(&entry, raw, SAMPLE_CHUNK, SAMPLE_CELL),
			 change->want);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("index");

	tcase_add_loop_test(tcase, test_change, 0, LENGTH(changes));
	tcase_add_test(tcase, test_described);
	tcase_add_loop_test(tcase, test_entry_change, 0, LENGTH(entry_changes));
	return helper_run_case("index", tcase);
}
