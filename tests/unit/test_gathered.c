// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 14 and 19: the header and the body of a gathered record. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/index.h"
#include "gathered_sample.h"
#include "helper.h"
#include "piece_check.h"

static enum status decode(const uint8_t *raw)
{
	struct record record;

	return record_decode_with(&record, raw, SAMPLE_CHUNK, FEATURE_LAYERS);
}

static const struct piece_format piece = { decode, 120 };

/* --- the header ---------------------------------------------------------- */

START_TEST(test_round_trip)
{
	struct record record, back;
	uint8_t *raw = sample_record(&record);

	memset(&back, 0xff, sizeof(back));
	ck_assert_int_eq(record_decode_with(&back, raw, SAMPLE_CHUNK, FEATURE_LAYERS), STATUS_OK);
	ck_assert(capture_id_equal(&back.id, &record.id));
	ck_assert_uint_eq(back.source_offset, record.source_offset);
	ck_assert_uint_eq(back.source_length, record.source_length);
	ck_assert_uint_eq(back.payload_offset, 168);
	ck_assert_uint_eq(back.unreadable, 1);
	ck_assert_uint_eq(back.gathered.runs, SAMPLE_RUNS);
	ck_assert_uint_eq(back.gathered.aliases, 1);
	ck_assert_uint_eq(back.gathered.stored_length, 2 * 4096 + 100);
	ck_assert_uint_eq(back.gathered.layer, 1);
	ck_assert_uint_eq(back.gathered.named, 1 << CLASS_FREE);
	ck_assert_uint_eq(back.gathered.cell_size, SAMPLE_CELL);
	ck_assert_uint_eq(back.gathered.list_checksum, record.gathered.list_checksum);
	ck_assert_mem_eq(back.gathered.classes.of, record.gathered.classes.of, CLASSES);
	ck_assert_uint_eq(record_blocks(&back), 3);
	ck_assert_uint_eq(record_block_length(&back, 0), 4096);
	ck_assert_uint_eq(record_block_length(&back, 2), 100);
	free(raw);
}
END_TEST

START_TEST(test_golden)
{
	/* The checksums follow; the last byte is the NUL. */
	static const uint8_t head[168] =
		"nsplitRC"
		"\x12\x3e\x45\x67\xe8\x9b\x42\xd3\xa4\x56\x42\x66\x14\x17\x40\x00"
		"\0\0\x10\5\0\0\0\0" "\x64\0\1\0" "\0\x10\0\0" "\0\0\0\0"
		"\xa8\0\0\0" "\x6c\0\0\0" "\1\0\0\0" "\0\0\0\0"
		"\5\0\0\0" "\1\0\0\0" "\x64\x20\0\0" "\1\0" "\0\1"
		"\1\1\1\1\1\1\1\1\x10\1\1\1\1\1\1\1" "\0\0\0\1"
		"\0\0\0\0\0\0\0\0" "\1\0\0\0\0\0\0\0"
		"\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0"
		"\2\0\0\0" "\xa\0\0\x18" "\3\0\0\x20" "\1\0\0\x30" "\1\0\0\4"
		"\0\x30\0\0\0\0\0\0"
		"\0\0\0\0" "\x8\0\0\x10" "\x64\0\0";
	struct record record;
	uint8_t *raw = sample_record(&record), want[276];

	memcpy(want, head, sizeof(head));
	want[167] = 0x20;
	put_le64(want + 96, UINT64_C(0xfc7cae20cfd4a43f));
	put_le64(want + 112, UINT64_C(0xf0e8de7166d8f7b7));
	put_le64(want + 120, UINT64_C(0xeeebd660cd237a0b));
	for (uint32_t i = sizeof(head); i < sizeof(want); i++)
		want[i] = (uint8_t)(i * 7);
	piece_check_bytes(raw, want, sizeof(want));
	free(raw);
}
END_TEST

START_TEST(test_flips)
{
	struct record record;
	uint8_t *raw = sample_record(&record);

	piece_check_flips(&piece, raw);
	free(raw);
}
END_TEST

/* Readers that predate layers refuse the record, and do not take it for damaged. */
START_TEST(test_unknown_feature)
{
	struct record record, back;
	uint8_t *raw = sample_record(&record);

	ck_assert_int_eq(record_decode(&back, raw, SAMPLE_CHUNK), STATUS_UNSUPPORTED);
	ck_assert_int_eq(record_decode_with(&back, raw, SAMPLE_CHUNK, FEATURE_LAYERS << 1),
			 STATUS_UNSUPPORTED);
	free(raw);
}
END_TEST

/* A record without layers reads as before, whatever its reserved bytes hold. */
START_TEST(test_not_gathered)
{
	struct record record, back;
	uint8_t *raw = sample_record(&record);

	put_le64(raw + 104, 0);
	put_le32(raw + 44, 128 + 4 * 17);
	put_le32(raw + 52, 0);
	piece_reseal(&piece, raw);
	ck_assert_int_eq(record_decode_with(&back, raw, SAMPLE_CHUNK, FEATURE_LAYERS), STATUS_OK);
	ck_assert_uint_eq(back.gathered.layer, 0);
	ck_assert_uint_eq(back.gathered.runs, 0);
	ck_assert_uint_eq(record_blocks(&back), 17);
	free(raw);
}
END_TEST

static const struct piece_change changes[] = {
	{ 104, 8, 3, STATUS_UNSUPPORTED },
	/* The range: within its cell, the sixth one, which ends at 0x6000000. */
	{ 24, 8, 0x5ff0000 - 0x1000, STATUS_OK },
	{ 24, 8, 0x5ff0000, STATUS_DAMAGED },
	{ 24, 8, 0x5100800, STATUS_DAMAGED },
	{ 24, 8, 0x7fffffffff000000, STATUS_OK },
	{ 24, 8, 0x8000000000000000, STATUS_DAMAGED },
	{ 32, 4, 0, STATUS_DAMAGED },
	{ 32, 4, 4 * 4096, STATUS_DAMAGED },	/* fewer granules than runs */
	{ 32, 4, 0xf00000, STATUS_OK },		/* more than a chunk, to the end of the cell */
	{ 32, 4, 0xf00001, STATUS_DAMAGED },
	{ 32, 4, UINT32_MAX, STATUS_DAMAGED },
	/* The gap before the payload may be up to a unit. */
	{ 44, 4, 167, STATUS_DAMAGED },
	{ 44, 4, 4096, STATUS_OK },
	{ 44, 4, 4097, STATUS_DAMAGED },
	{ 48, 4, 2 * 4096 + 100, STATUS_OK },
	{ 48, 4, 2 * 4096 + 101, STATUS_DAMAGED },
	{ 52, 4, 17, STATUS_OK },
	{ 52, 4, 18, STATUS_DAMAGED },
	/* Runs and aliases. */
	{ 60, 4, 0, STATUS_DAMAGED },
	{ 60, 4, 4, STATUS_OK },
	{ 60, 4, 6, STATUS_DAMAGED },		/* payload_offset is too small for six */
	{ 60, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 60, 4, 0x40000005, STATUS_DAMAGED },
	{ 64, 4, 0, STATUS_OK },
	{ 64, 4, 6, STATUS_DAMAGED },
	{ 64, 4, UINT32_MAX, STATUS_DAMAGED },
	/* What is stored. */
	{ 68, 4, 3 * 4096, STATUS_OK },
	{ 68, 4, 3 * 4096 + 1, STATUS_DAMAGED },	/* another block: the table reaches the payload */
	{ 68, 4, 107, STATUS_DAMAGED },		/* less than the payload */
	{ 68, 4, 16 * 4096 + 101, STATUS_DAMAGED },
	{ 68, 4, UINT32_MAX, STATUS_DAMAGED },
	/* Layer, a reserved byte, named. */
	{ 72, 4, 0x01000000, STATUS_DAMAGED },
	{ 72, 4, 0x0100ff01, STATUS_OK },
	{ 72, 4, 0x0000000f, STATUS_OK },
	{ 72, 4, 0x00000010, STATUS_DAMAGED },
	{ 72, 4, 0x01000002, STATUS_DAMAGED },	/* layer 2 names nothing */
	{ 72, 4, 0x01010001, STATUS_DAMAGED },	/* the kernel is not named */
	/* The class table: see test_classes.c. */
	{ 76, 4, 0x01010102, STATUS_DAMAGED },
	{ 84, 4, 0x01010150, STATUS_DAMAGED },
	/* The cell. */
	{ 92, 4, 0, STATUS_DAMAGED },
	{ 92, 4, 0x100000, STATUS_OK },
	{ 92, 4, 0x10000, STATUS_DAMAGED },	/* the range would begin in one and end in the next */
	{ 92, 4, 0x100001, STATUS_DAMAGED },
	{ 92, 4, 1 << 26, STATUS_OK },
	{ 92, 4, 1 << 27, STATUS_DAMAGED },
};

START_TEST(test_change)
{
	struct record record;
	uint8_t *raw = sample_record(&record);

	piece_check_change(&piece, raw, &changes[_i], true, changes[_i].want);
	piece_check_change(&piece, raw, &changes[_i], false, STATUS_DAMAGED);
	free(raw);
}
END_TEST

/* chunk_size limits what is stored, and not the range. */
START_TEST(test_chunk_size)
{
	struct record record, back;
	uint8_t *raw = sample_record(&record);

	ck_assert_int_eq(record_decode_with(&back, raw, 3 * 4096, FEATURE_LAYERS), STATUS_OK);
	ck_assert_int_eq(record_decode_with(&back, raw, 2 * 4096, FEATURE_LAYERS), STATUS_DAMAGED);
	free(raw);
}
END_TEST

START_TEST(test_lengths)
{
	struct record record = {
		.source_length = SAMPLE_CELL,
		.block_size = 4096,
		.gathered = { .layer = 1, .runs = 4096, .aliases = 1024,
			      .stored_length = SAMPLE_CHUNK },
	};

	ck_assert_uint_eq(record_granules(&record), 4096);
	ck_assert_uint_eq(record_blocks(&record), 256);
	ck_assert_uint_eq(record_table_offset(&record), 128 + 16384 + 8192);
	record.payload_offset = record_table_offset(&record) + 4 * 256;
	record.payload_length = SAMPLE_CHUNK;
	ck_assert_uint_eq(record_length(&record),
			  record_length_max_gathered(SAMPLE_CHUNK, SAMPLE_CELL));
	ck_assert_uint_eq(record_length_max_gathered(4096, 4096), 8192);
	ck_assert_uint_eq(record_length_max_gathered(CHUNK_SIZE_MAX, CELL_SIZE_MAX),
			  CHUNK_SIZE_MAX + 65536 + 8192 + 65536 + 4096);
}
END_TEST

/* --- the body ------------------------------------------------------------ */

START_TEST(test_body_flips)
{
	struct record record;
	uint8_t *raw = sample_record(&record);
	uint32_t end = record_end(&record);

	ck_assert_int_eq(record_check_body(&record, raw), STATUS_OK);
	for (uint32_t bit = 8 * RECORD_HEADER_LENGTH; bit < 8 * end; bit++) {
		bool in_list = bit < 8 * record_table_offset(&record);

		raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (record_check_body(&record, raw) != STATUS_DAMAGED)
			ck_abort_msg("bit %u of byte %u flipped is not seen", bit % 8, bit / 8);
		/* The run list has a checksum of its own, so that it can be read alone. */
		ck_assert_int_eq(run_list_check(&record, raw), in_list ? STATUS_DAMAGED : STATUS_OK);
		raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	free(raw);
}
END_TEST

/* With right checksums. */
static const struct {
	uint32_t block, entry, payload;
	enum status want;
} entries[] = {
	{ 0, 0x00000000, 108, STATUS_OK },
	{ 0, 0x40000000, 108, STATUS_DAMAGED },	/* unreadable: such a granule is not stored */
	{ 0, 0x50000000, 108, STATUS_DAMAGED },
	{ 0, 0x30000001, 109, STATUS_OK },
	{ 1, 0x10000007, 107, STATUS_DAMAGED },
	{ 2, 0x20000063, 107, STATUS_DAMAGED },
	{ 2, 0x20001000, 4104, STATUS_DAMAGED },	/* the last block has 100 bytes */
	{ 2, 0x20000064, 107, STATUS_DAMAGED },	/* more than the payload */
};

START_TEST(test_entry)
{
	struct record record;
	uint8_t *small = sample_record(&record), *raw = helper_pages(2 * UNIT);

	memcpy(raw, small, UNIT);
	free(small);
	put_le32(raw + record_table_offset(&record) + 4 * entries[_i].block, entries[_i].entry);
	record.payload_length = entries[_i].payload;
	sample_seal(&record, raw);
	ck_assert_int_eq(decode(raw), STATUS_OK);
	ck_assert_int_eq(record_check_body(&record, raw), entries[_i].want);
	free(raw);
}
END_TEST

/* It says only what the granules are. */
START_TEST(test_nothing_stored)
{
	static const struct run free_pages = { RUN_NAMED, CLASS_FREE, 4096, 0 };
	struct record record, back;
	uint8_t *raw = sample_list(&record, &free_pages, 1, 1, SAMPLE_CELL);

	sample_seal(&record, raw);
	ck_assert_int_eq(record_decode_with(&back, raw, SAMPLE_CHUNK, FEATURE_LAYERS), STATUS_OK);
	ck_assert_uint_eq(record_blocks(&back), 0);
	ck_assert_uint_eq(record_length(&back), UNIT);
	ck_assert_int_eq(record_check_body(&back, raw), STATUS_OK);
	free(raw);
}
END_TEST

/* At most 5 % of overhead with 8 pages, each alone, in each MiB; blocks packed to two fifths. */
START_TEST(test_overhead)
{
	struct record record;
	struct run runs[2 * 8 * 16];
	uint32_t packed = 8 * 16 * 4096 / 5 * 2;
	uint8_t *raw;

	for (size_t i = 0; i < LENGTH(runs); i++)
		runs[i] = i % 2 ? (struct run){ RUN_NAMED, CLASS_FREE, 31, 0 } :
				  (struct run){ RUN_STORED, CLASS_KERNEL, 1, 0 };
	raw = sample_list(&record, runs, LENGTH(runs), 1, 0);
	ck_assert_uint_eq(record.source_length, SAMPLE_CELL);
	ck_assert_uint_eq(record.gathered.stored_length, 8 * 16 * 4096);
	record.payload_length = packed;
	ck_assert_uint_le((record_length(&record) + INDEX_ENTRY_LENGTH - packed) * 20, packed);
	free(raw);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gathered");
	TCase *header = tcase_create("header"), *body = tcase_create("body");

	tcase_add_test(header, test_round_trip);
	tcase_add_test(header, test_golden);
	tcase_add_test(header, test_flips);
	tcase_add_test(header, test_unknown_feature);
	tcase_add_test(header, test_not_gathered);
	tcase_add_loop_test(header, test_change, 0, LENGTH(changes));
	tcase_add_test(header, test_chunk_size);
	tcase_add_test(header, test_lengths);
	suite_add_tcase(suite, header);
	tcase_add_test(body, test_body_flips);
	tcase_add_loop_test(body, test_entry, 0, LENGTH(entries));
	tcase_add_test(body, test_nothing_stored);
	tcase_add_test(body, test_overhead);
	tcase_set_timeout(body, 60);
	suite_add_tcase(suite, body);
	return helper_run(suite);
}
