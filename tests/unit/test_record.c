// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 2, 4, 5 and 9. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/record.h"
#include "helper.h"
#include "piece_check.h"

enum { CHUNK = 1 << 20 };

static enum status decode(const uint8_t *raw)
{
	struct record record;

	return record_decode(&record, raw, CHUNK);
}

static const struct piece_format piece = { decode, 120 };

/* Five blocks, the last one short: see put_body(). */
static struct record sample(void)
{
	struct record record = {
		.id = piece_id,
		.source_offset = 0x0123456789aaa000,
		.source_length = 4 * 4096 + 100,
		.block_size = 4096,
		.codec = 1,
		.payload_offset = 148,
		.payload_length = 8 + 1000 + 100,
		.unreadable = 1,
		.body_checksum = 0x1112131415161718,
	};

	return record;
}

/* --- the header ---------------------------------------------------------- */

START_TEST(test_round_trip)
{
	struct record record = sample(), back;
	uint8_t raw[RECORD_HEADER_LENGTH];

	memset(&back, 0xff, sizeof(back));
	record_encode(&record, raw);
	ck_assert_int_eq(record_decode(&back, raw, CHUNK), STATUS_OK);
	ck_assert(capture_id_equal(&back.id, &record.id));
	ck_assert_uint_eq(back.source_offset, record.source_offset);
	ck_assert_uint_eq(back.source_length, record.source_length);
	ck_assert_uint_eq(back.block_size, record.block_size);
	ck_assert_uint_eq(back.codec, record.codec);
	ck_assert_uint_eq(back.payload_offset, record.payload_offset);
	ck_assert_uint_eq(back.payload_length, record.payload_length);
	ck_assert_uint_eq(back.unreadable, record.unreadable);
	ck_assert_uint_eq(back.body_checksum, record.body_checksum);
}
END_TEST

START_TEST(test_capture_tag)
{
	struct record record = sample(), back;
	uint8_t raw[RECORD_HEADER_LENGTH];

	record.id.tag = 0xa1b2c3d4;
	record_encode(&record, raw);
	ck_assert_mem_eq(raw + 56, "\xd4\xc3\xb2\xa1", 4);
	ck_assert_int_eq(record_decode(&back, raw, CHUNK), STATUS_OK);
	ck_assert(capture_id_equal(&back.id, &record.id));
}
END_TEST

START_TEST(test_golden)
{
	static const uint8_t head[56] =
		"nsplitRC"
		"\x12\x3e\x45\x67\xe8\x9b\x42\xd3\xa4\x56\x42\x66\x14\x17\x40\x00"
		"\0\xa0\xaa\x89\x67\x45\x23\x01"
		"\x64\x40\0\0" "\0\x10\0\0" "\1\0\0\0"
		"\x94\0\0\0" "\x54\4\0\0" "\1\0\0";
	struct record record = sample();
	uint8_t raw[RECORD_HEADER_LENGTH], want[RECORD_HEADER_LENGTH] = { 0 };

	memcpy(want, head, sizeof(head));
	put_le64(want + 112, 0x1112131415161718);
	put_le64(want + 120, UINT64_C(0x72d94db6bc4c090c));
	memset(raw, 0xff, sizeof(raw));
	record_encode(&record, raw);
	piece_check_bytes(raw, want, sizeof(want));
}
END_TEST

START_TEST(test_flips)
{
	struct record record = sample();
	uint8_t raw[RECORD_HEADER_LENGTH];

	record_encode(&record, raw);
	piece_check_flips(&piece, raw);
}
END_TEST

static const struct piece_change changes[] = {
	{ 104, 8, 1, STATUS_UNSUPPORTED },
	{ 104, 8, UINT64_C(1) << 63, STATUS_UNSUPPORTED },
	{ 56, 8, UINT64_MAX, STATUS_OK },
	{ 96, 8, UINT64_MAX, STATUS_OK },
	{ 24, 8, 0, STATUS_OK },
	{ 24, 8, 4095, STATUS_DAMAGED },
	{ 24, 8, 512, STATUS_DAMAGED },
	{ 24, 8, 0x7fffffffffffb000, STATUS_OK },	/* ends just below 2^63 */
	{ 24, 8, 0x7fffffffffffc000, STATUS_DAMAGED },
	{ 24, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 24, 8, 0xfffffffffffff000, STATUS_DAMAGED },
	{ 32, 4, 0, STATUS_DAMAGED },
	{ 32, 4, CHUNK + 1, STATUS_DAMAGED },
	{ 32, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 36, 4, 0, STATUS_DAMAGED },
	{ 36, 4, 2048, STATUS_DAMAGED },
	{ 36, 4, 4095, STATUS_DAMAGED },
	{ 36, 4, 12288, STATUS_DAMAGED },
	{ 36, 4, 8192, STATUS_OK },
	{ 36, 4, 1 << 20, STATUS_OK },
	{ 36, 4, 1 << 21, STATUS_DAMAGED },
	{ 36, 4, UINT32_C(1) << 31, STATUS_DAMAGED },
	/* The codec is checked only when a block is unpacked. */
	{ 40, 4, 99, STATUS_OK },
	{ 44, 4, 0, STATUS_DAMAGED },
	{ 44, 4, 147, STATUS_DAMAGED },
	{ 44, 4, 4096, STATUS_OK },
	{ 44, 4, 4097, STATUS_DAMAGED },
	{ 44, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 48, 4, 0, STATUS_OK },
	{ 48, 4, 4 * 4096 + 100, STATUS_OK },
	{ 48, 4, 4 * 4096 + 101, STATUS_DAMAGED },
	{ 48, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 52, 4, 5, STATUS_OK },
	{ 52, 4, 6, STATUS_DAMAGED },
	{ 52, 4, UINT32_MAX, STATUS_DAMAGED },
};

START_TEST(test_change)
{
	struct record record = sample();
	uint8_t raw[RECORD_HEADER_LENGTH];

	record_encode(&record, raw);
	piece_check_change(&piece, raw, &changes[_i], true, changes[_i].want);
	piece_check_change(&piece, raw, &changes[_i], false, STATUS_DAMAGED);
}
END_TEST

/* The set's chunk size bounds the record. */
START_TEST(test_chunk_size)
{
	struct record record = sample(), back;
	uint8_t raw[RECORD_HEADER_LENGTH];

	record_encode(&record, raw);
	ck_assert_int_eq(record_decode(&back, raw, 5 * 4096), STATUS_OK);
	ck_assert_int_eq(record_decode(&back, raw, 4 * 4096), STATUS_DAMAGED);
	record.source_length = CHUNK_SIZE_MAX;
	record.source_offset = 0;
	record.payload_offset = record_payload_offset_min(record_blocks(&record));
	record.payload_length = CHUNK_SIZE_MAX;
	record_encode(&record, raw);
	ck_assert_int_eq(record_decode(&back, raw, CHUNK_SIZE_MAX), STATUS_OK);
	ck_assert_uint_eq(record_length(&back), record_length_max(CHUNK_SIZE_MAX));
}
END_TEST

START_TEST(test_other_pieces)
{
	static const char *const magics[] = { "nsplitSB", "nsplitFT", "nsplitIX", "nsplitRc" };
	struct record record = sample();
	uint8_t raw[RECORD_HEADER_LENGTH];

	record_encode(&record, raw);
	memcpy(raw, magics[_i], FORMAT_MAGIC_LENGTH);
	piece_reseal(&piece, raw);
	ck_assert_int_eq(decode(raw), STATUS_NOT_OURS);
}
END_TEST

START_TEST(test_lengths)
{
	struct record record = { .block_size = 4096, .payload_offset = 132 };
	static const struct { uint32_t length, blocks, last; } lengths[] = {
		{ 1, 1, 1 }, { 4095, 1, 4095 }, { 4096, 1, 4096 }, { 4097, 2, 1 },
		{ 8192, 2, 4096 }, { CHUNK_SIZE_MAX, 16384, 4096 },
		{ CHUNK_SIZE_MAX - 1, 16384, 4095 },
	};

	for (size_t i = 0; i < LENGTH(lengths); i++) {
		uint32_t last = lengths[i].blocks - 1;

		record.source_length = lengths[i].length;
		ck_assert_uint_eq(record_blocks(&record), lengths[i].blocks);
		ck_assert_uint_eq(record_block_length(&record, last), lengths[i].last);
		if (last)
			ck_assert_uint_eq(record_block_length(&record, 0), 4096);
	}
	ck_assert_uint_eq(record_payload_offset_min(1), 132);
	ck_assert_uint_eq(record_length(&record), 4096);
	record.payload_length = 4096 - 132;
	ck_assert_uint_eq(record_end(&record), 4096);
	ck_assert_uint_eq(record_length(&record), 4096);
	record.payload_length++;
	ck_assert_uint_eq(record_length(&record), 8192);
	ck_assert_uint_eq(record_length_max(4096), 8192);
	ck_assert_uint_eq(record_length_max(CHUNK), CHUNK + 4096);
	ck_assert_uint_eq(record_length_max(CHUNK_SIZE_MAX), CHUNK_SIZE_MAX + 69632);
}
END_TEST

/* --- the body ------------------------------------------------------------ */

/* One block of each kind, in this order; the stored one is the short one. */
static const uint32_t table[5] = { 0x00000000, 0x10000008, 0x300003e8, 0x40000000, 0x20000064 };

static void reseal_body(struct record *record, uint8_t *raw)
{
	record->body_checksum = record_body_checksum(record, raw);
	record_encode(record, raw);
}

static uint8_t *sample_body(struct record *record)
{
	uint8_t *raw = helper_pages(4096);

	*record = sample();
	for (size_t i = 0; i < LENGTH(table); i++)
		put_le32(raw + RECORD_HEADER_LENGTH + 4 * i, table[i]);
	for (uint32_t i = record->payload_offset; i < record_end(record); i++)
		raw[i] = (uint8_t)(i * 7);
	reseal_body(record, raw);
	return raw;
}

START_TEST(test_entries)
{
	static const enum block_kind kinds[] = { BLOCK_ZERO, BLOCK_SAME, BLOCK_PACKED,
						 BLOCK_UNREADABLE, BLOCK_STORED };
	static const uint32_t lengths[] = { 0, 8, 1000, 0, 100 };

	for (size_t i = 0; i < LENGTH(table); i++) {
		ck_assert_uint_eq(record_entry(kinds[i], lengths[i]), table[i]);
		ck_assert_uint_eq(record_entry_kind(table[i]), (unsigned)kinds[i]);
		ck_assert_uint_eq(record_entry_length(table[i]), lengths[i]);
	}
	ck_assert_uint_eq(record_entry_kind(0xffffffff), 15);
	ck_assert_uint_eq(record_entry_length(0xffffffff), 0x0fffffff);
}
END_TEST

START_TEST(test_body_flips)
{
	struct record record;
	uint8_t *raw = sample_body(&record);
	uint32_t end = record_end(&record);

	ck_assert_int_eq(record_check_body(&record, raw), STATUS_OK);
	for (uint32_t bit = 8 * RECORD_HEADER_LENGTH; bit < 8 * end; bit++) {
		raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (record_check_body(&record, raw) != STATUS_DAMAGED)
			ck_abort_msg("bit %u of byte %u flipped is not seen", bit % 8, bit / 8);
		raw[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	memset(raw + end, 0xff, 4096 - end);	/* the padding is not checked */
	ck_assert_int_eq(record_check_body(&record, raw), STATUS_OK);
	free(raw);
}
END_TEST

/*
 * Entries with the checksum right for them.  Block 2 is the packed one; where its length
 * changes, payload says what the lengths then add up to, so that nothing else is wrong.
 */
static const struct {
	uint32_t block, entry, payload, unreadable;
	enum status want;
} entries[] = {
	{ 0, 0x00000000, 1108, 1, STATUS_OK },
	{ 0, 0x00000001, 1109, 1, STATUS_DAMAGED },	/* zero that takes space */
	{ 1, 0x10000000, 1100, 1, STATUS_DAMAGED },	/* same of no bytes, 7, 9 */
	{ 1, 0x10000007, 1107, 1, STATUS_DAMAGED },
	{ 1, 0x10000009, 1109, 1, STATUS_DAMAGED },
	{ 1, 0x20001000, 5196, 1, STATUS_OK },
	{ 1, 0x20000fff, 5195, 1, STATUS_DAMAGED },	/* stored, but not all of it */
	{ 1, 0x20001001, 5197, 1, STATUS_DAMAGED },
	{ 4, 0x20001000, 5104, 1, STATUS_DAMAGED },	/* the last block is shorter */
	{ 4, 0x20000063, 1107, 1, STATUS_DAMAGED },
	{ 2, 0x30000000, 108, 1, STATUS_DAMAGED },	/* packed into nothing */
	{ 2, 0x30000001, 109, 1, STATUS_OK },
	{ 2, 0x30000fff, 4203, 1, STATUS_OK },
	{ 2, 0x30001000, 4204, 1, STATUS_DAMAGED },	/* packed, and no smaller */
	{ 4, 0x30000064, 1108, 1, STATUS_DAMAGED },
	{ 4, 0x30000063, 1107, 1, STATUS_OK },
	{ 3, 0x40000001, 1109, 1, STATUS_DAMAGED },	/* unreadable that takes space */
	{ 3, 0x00000000, 1108, 1, STATUS_DAMAGED },	/* one fewer than the header says */
	{ 3, 0x00000000, 1108, 0, STATUS_OK },
	{ 0, 0x40000000, 1108, 1, STATUS_DAMAGED },	/* one more */
	{ 0, 0x40000000, 1108, 2, STATUS_OK },
	{ 0, 0x50000000, 1108, 1, STATUS_DAMAGED },	/* kinds that are none */
	{ 0, 0x80000000, 1108, 1, STATUS_DAMAGED },
	{ 0, 0xf0000000, 1108, 1, STATUS_DAMAGED },
	{ 2, 0x300003e9, 1108, 1, STATUS_DAMAGED },	/* more than the payload, and less */
	{ 2, 0x300003e7, 1108, 1, STATUS_DAMAGED },
	{ 2, 0x3fffffff, 1108, 1, STATUS_DAMAGED },
};

START_TEST(test_entry)
{
	struct record record;
	uint8_t *small = sample_body(&record), *raw = helper_pages(8192);

	memcpy(raw, small, 4096);
	free(small);
	put_le32(raw + RECORD_HEADER_LENGTH + 4 * entries[_i].block, entries[_i].entry);
	record.payload_length = entries[_i].payload;
	record.unreadable = entries[_i].unreadable;
	reseal_body(&record, raw);
	ck_assert_int_eq(decode(raw), STATUS_OK);
	ck_assert_int_eq(record_check_body(&record, raw), entries[_i].want);
	free(raw);
}
END_TEST

/* A value of 8 bytes does not fit into a block of 7. */
START_TEST(test_same_in_short_block)
{
	for (uint32_t length = 1; length <= 9; length++) {
		struct record record = sample();
		uint8_t *raw = helper_pages(4096);

		record.source_length = length;
		record.payload_offset = 132;
		record.payload_length = 8;
		record.unreadable = 0;
		put_le32(raw + RECORD_HEADER_LENGTH, record_entry(BLOCK_SAME, 8));
		reseal_body(&record, raw);
		ck_assert_int_eq(record_check_body(&record, raw),
				 length < 8 ? STATUS_DAMAGED : STATUS_OK);
		free(raw);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("record");
	TCase *header = tcase_create("header"), *body = tcase_create("body");

	tcase_add_test(header, test_round_trip);
	tcase_add_test(header, test_capture_tag);
	tcase_add_test(header, test_golden);
	tcase_add_test(header, test_flips);
	tcase_add_loop_test(header, test_change, 0, LENGTH(changes));
	tcase_add_test(header, test_chunk_size);
	tcase_add_loop_test(header, test_other_pieces, 0, 4);
	tcase_add_test(header, test_lengths);
	suite_add_tcase(suite, header);
	tcase_add_test(body, test_entries);
	tcase_add_test(body, test_body_flips);
	tcase_add_loop_test(body, test_entry, 0, LENGTH(entries));
	tcase_add_test(body, test_same_in_short_block);
	tcase_set_timeout(body, 60);
	suite_add_tcase(suite, body);
	return helper_run(suite);
}
