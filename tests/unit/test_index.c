// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 3, 8 and 11. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/index.h"
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

START_TEST(test_lengths)
{
	static const struct { uint32_t count, length; } lengths[] = {
		{ 1, 4096 }, { 126, 4096 }, { 127, 8192 }, { 254, 8192 }, { 255, 12288 },
		{ 32766, 1 << 20 },
	};

	for (size_t i = 0; i < LENGTH(lengths); i++)
		ck_assert_uint_eq(index_segment_length(lengths[i].count), lengths[i].length);
	ck_assert_uint_eq(index_segment_capacity(4096), 126);
	ck_assert_uint_eq(index_segment_capacity(8192), 254);
	ck_assert_uint_eq(index_segment_capacity(INDEX_SEGMENT_MAX), 32766);
}
END_TEST

START_TEST(test_golden_entry)
{
	static const uint8_t want[INDEX_ENTRY_LENGTH] =
		"\0\0\6\5\4\3\2\1" "\0\x10\6\x15\x14\x13\x12\x11"
		"\xcb\xed\xf\x10" "\x23\0" "\x11\1" "\x54\0" "\x32\0" "\0\0\0";
	uint8_t raw[INDEX_ENTRY_LENGTH];

	memset(raw, 0xff, sizeof(raw));
	index_entry_encode(&sample, raw);
	piece_check_bytes(raw, want, sizeof(want));
}
END_TEST

START_TEST(test_golden_segment)
{
	uint8_t raw[4096], want[4096] = { 0 };

	memset(raw, 0xff, sizeof(raw));
	put_sample_entries(raw);
	memcpy(want, "nsplitIX", 8);
	memcpy(want + 8, piece_id.uuid.bytes, UUID_LENGTH);
	memcpy(want + 24, "\0\x30\0\0\2\0\0\0", 8);
	memcpy(want + 32, "\3\0\0\0" "\0\x10\0\0", 8);
	put_le64(want + 40, UINT64_C(0xcf1420af3a58b780));
	put_le64(want + 56, UINT64_C(0xaca2ced0b1813257));
	memcpy(want + 64, raw + 64, ENTRIES * INDEX_ENTRY_LENGTH);
	ck_assert_uint_eq(index_segment_seal(raw, &piece_id, 0x200003000, ENTRIES), 4096);
	piece_check_bytes(raw, want, sizeof(want));
}
END_TEST

/* Each entry has it, since the header has no space. */
START_TEST(test_capture_tag)
{
	struct capture_id id = piece_id;
	struct index_header header;
	uint8_t raw[4096];

	id.tag = 0xa1b2c3d4;
	put_sample_entries(raw);
	index_segment_seal(raw, &id, 0, ENTRIES);
	for (uint32_t i = 0; i < ENTRIES; i++)
		ck_assert_mem_eq(raw + 64 + 32 * i + 28, "\xd4\xc3\xb2\xa1", 4);
	ck_assert_int_eq(index_header_decode(&header, raw), STATUS_OK);
	ck_assert(capture_id_equal(&header.id, &id));
	ck_assert_int_eq(index_check_entries(&header, raw), STATUS_OK);
}
END_TEST

START_TEST(test_round_trip)
{
	struct index_header header;
	uint8_t raw[4096];

	put_sample_entries(raw);
	index_segment_seal(raw, &piece_id, 0, ENTRIES);
	ck_assert_int_eq(index_header_decode(&header, raw), STATUS_OK);
	ck_assert(capture_id_equal(&header.id, &piece_id));
	ck_assert_uint_eq(header.previous, 0);
	ck_assert_uint_eq(header.count, ENTRIES);
	ck_assert_uint_eq(header.length, 4096);
	ck_assert_int_eq(index_check_entries(&header, raw), STATUS_OK);
	for (uint32_t i = 0; i < ENTRIES; i++) {
		const uint8_t *at = raw + INDEX_HEADER_LENGTH + INDEX_ENTRY_LENGTH * i;
		struct index_entry entry;

		ck_assert_int_eq(index_entry_decode(&entry, at, SAMPLE_CHUNK, SAMPLE_CELL), STATUS_OK);
		ck_assert_uint_eq(entry.member_offset, sample.member_offset);
		ck_assert_uint_eq(entry.source_offset,
				  sample.source_offset + (uint64_t)i * SAMPLE_CHUNK);
		ck_assert_uint_eq(entry.layer, sample.layer);
		ck_assert_uint_eq(entry.stored, sample.stored);
		ck_assert_uint_eq(entry.named, sample.named);
		ck_assert_uint_eq(entry.source_length, sample.source_length);
		ck_assert_uint_eq(entry.record_length, sample.record_length);
		ck_assert_uint_eq(entry.unreadable, sample.unreadable);
	}
}
END_TEST

/* As many entries as fit, up to the segment's last byte; and the largest segment. */
START_TEST(test_full_segment)
{
	static const uint32_t counts[] = { 126, 254, 32766 };
	uint32_t count = counts[_i], length = index_segment_length(count);
	uint8_t *raw = helper_pages(length);
	struct index_header header;

	for (uint32_t i = 0; i < count; i++)
		index_entry_encode(&sample, raw + INDEX_HEADER_LENGTH + INDEX_ENTRY_LENGTH * i);
	ck_assert_uint_eq(index_segment_seal(raw, &piece_id, ALIGNMENT, count), length);
	ck_assert_int_eq(index_header_decode(&header, raw), STATUS_OK);
	ck_assert_uint_eq(header.count, count);
	ck_assert_int_eq(index_check_entries(&header, raw), STATUS_OK);
	free(raw);
}
END_TEST

START_TEST(test_flips)
{
	struct index_header header;
	uint8_t raw[4096];

	put_sample_entries(raw);
	index_segment_seal(raw, &piece_id, 0, ENTRIES);
	piece_check_flips(&piece, raw);
	ck_assert_int_eq(index_header_decode(&header, raw), STATUS_OK);
	for (size_t bit = 8 * 64; bit < 8 * (64 + ENTRIES * INDEX_ENTRY_LENGTH); bit++) {
		raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (index_check_entries(&header, raw) != STATUS_DAMAGED)
			ck_abort_msg("bit %zu of byte %zu flipped is not seen", bit % 8, bit / 8);
		raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	ck_assert_int_eq(index_check_entries(&header, raw), STATUS_OK);
}
END_TEST

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

/* Too large by one, with a length that goes with it. */
START_TEST(test_too_many_entries)
{
	uint8_t raw[4096];

	put_sample_entries(raw);
	index_segment_seal(raw, &piece_id, 0, ENTRIES);
	put_le32(raw + 32, 32767);
	put_le32(raw + 36, (1 << 20) + 4096);
	piece_reseal(&piece, raw);
	ck_assert_int_eq(decode(raw), STATUS_DAMAGED);
}
END_TEST

START_TEST(test_entry_of_record)
{
	struct record record;
	uint8_t *bytes = sample_record(&record);
	struct index_entry entry = index_entry_of(&record, 0x0102030405060000);

	ck_assert_uint_eq(entry.member_offset, 0x0102030405060000);
	ck_assert_uint_eq(entry.source_offset, record.source_offset);
	ck_assert_uint_eq(entry.source_length, record.source_length);
	ck_assert_uint_eq(entry.record_length, ALIGNMENT);
	ck_assert_uint_eq(entry.layer, 1);
	ck_assert_uint_eq(entry.unreadable, 1);
	ck_assert_uint_eq(entry.stored, 3);
	ck_assert_uint_eq(entry.named, 1 << CLASS_FREE | NAMED_ZERO);
	free(bytes);
	/* Without a list. */
	bytes = sample_plain(&record);
	entry = index_entry_of(&record, ALIGNMENT);
	ck_assert_uint_eq(entry.unreadable, 0);
	ck_assert_uint_eq(entry.stored, 5);
	ck_assert_uint_eq(entry.named, 0);
	free(bytes);
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

/* Of a set with one layer, an entry says all of each record that stores its whole range. */
START_TEST(test_described_plain)
{
	const struct class_table table = class_table_plain();
	struct index_entry entry = {
		.source_length = 3 * GRANULE + 1, .layer = 1, .stored = 4, .record_length = 5 * ALIGNMENT,
	};
	struct run run;

	ck_assert(index_entry_describes(&entry, &table, &run));
	ck_assert_int_eq(run.kind, RUN_STORED);
	ck_assert_uint_eq(run.class_number, CLASS_KERNEL);
	ck_assert_uint_eq(run.granules, 4);
	entry.stored = 3;
	ck_assert(!index_entry_describes(&entry, &table, &run));
}
END_TEST

/* The entry of the longest record. */
START_TEST(test_longest_entry)
{
	struct record record = {
		.source_length = CELL_SIZE_MAX,
		.block_size = 4096,
		.payload_offset = 128 + 65536 + 65536,
		.payload_length = CHUNK_SIZE_MAX,
		.layer = 15,
		.runs = 16384,
		.stored_length = CHUNK_SIZE_MAX,
	};
	struct index_entry entry = index_entry_of(&record, 4096), back;
	uint8_t raw[INDEX_ENTRY_LENGTH];

	index_entry_encode(&entry, raw);
	ck_assert_int_eq(index_entry_decode(&back, raw, CHUNK_SIZE_MAX, CELL_SIZE_MAX),
			 STATUS_OK);
	ck_assert_uint_eq(back.record_length,
			  record_length_max(CHUNK_SIZE_MAX, CELL_SIZE_MAX));
	ck_assert_uint_eq(back.source_length, CELL_SIZE_MAX);
	ck_assert_uint_eq(back.stored, 16384);
	ck_assert_uint_eq(back.layer, 15);
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
	Suite *suite = suite_create("index");
	TCase *tcase = tcase_create("index");

	tcase_add_test(tcase, test_lengths);
	tcase_add_test(tcase, test_golden_entry);
	tcase_add_test(tcase, test_golden_segment);
	tcase_add_test(tcase, test_round_trip);
	tcase_add_test(tcase, test_capture_tag);
	tcase_add_loop_test(tcase, test_full_segment, 0, 3);
	tcase_add_test(tcase, test_flips);
	tcase_add_loop_test(tcase, test_change, 0, LENGTH(changes));
	tcase_add_test(tcase, test_too_many_entries);
	tcase_add_test(tcase, test_entry_of_record);
	tcase_add_test(tcase, test_described);
	tcase_add_test(tcase, test_described_plain);
	tcase_add_test(tcase, test_longest_entry);
	tcase_add_loop_test(tcase, test_entry_change, 0, LENGTH(entry_changes));
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
