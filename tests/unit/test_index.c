// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 2, 6 and 9. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/index.h"
#include "helper.h"
#include "piece_check.h"

enum { CHUNK = 1 << 20, ENTRIES = 3 };

static enum status decode(const uint8_t *raw)
{
	struct index_header header;

	return index_header_decode_with(&header, raw, 0);
}

static const struct piece_format piece = { decode, 56 };

static const struct index_entry sample = {
	.member_offset = 0x0102030405060000,
	.source_offset = 0x1112131415161000,
	.source_length = 0xfedcb,
	.record_length = 0x23000,
	.unreadable = 0x76543,
};

static void put_sample_entries(uint8_t *raw)
{
	for (uint32_t i = 0; i < ENTRIES; i++) {
		struct index_entry entry = sample;

		entry.source_offset += (uint64_t)i * CHUNK;
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
		"\0\0\6\5\4\3\2\1" "\0\x10\x16\x15\x14\x13\x12\x11"
		"\xcb\xed\xf\0" "\0\x30\2\0" "\x43\x65\7\0" "\0\0\0";
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
	put_le64(want + 40, UINT64_C(0xba8250691af9ad2f));
	put_le64(want + 56, UINT64_C(0xf08ff2f1663db6e0));
	memcpy(want + 64, raw + 64, ENTRIES * INDEX_ENTRY_LENGTH);
	ck_assert_uint_eq(index_segment_seal_with(raw, &piece_id, 0x200003000, ENTRIES, 0), 4096);
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
	index_segment_seal_with(raw, &id, 0, ENTRIES, 0);
	for (uint32_t i = 0; i < ENTRIES; i++)
		ck_assert_mem_eq(raw + 64 + 32 * i + 28, "\xd4\xc3\xb2\xa1", 4);
	ck_assert_int_eq(index_header_decode_with(&header, raw, 0), STATUS_OK);
	ck_assert(capture_id_equal(&header.id, &id));
	ck_assert_int_eq(index_check_entries(&header, raw), STATUS_OK);
}
END_TEST

START_TEST(test_round_trip)
{
	struct index_header header;
	uint8_t raw[4096];

	put_sample_entries(raw);
	index_segment_seal_with(raw, &piece_id, 0, ENTRIES, 0);
	ck_assert_int_eq(index_header_decode_with(&header, raw, 0), STATUS_OK);
	ck_assert(capture_id_equal(&header.id, &piece_id));
	ck_assert_uint_eq(header.previous, 0);
	ck_assert_uint_eq(header.count, ENTRIES);
	ck_assert_uint_eq(header.length, 4096);
	ck_assert_int_eq(index_check_entries(&header, raw), STATUS_OK);
	for (uint32_t i = 0; i < ENTRIES; i++) {
		const uint8_t *at = raw + INDEX_HEADER_LENGTH + INDEX_ENTRY_LENGTH * i;
		struct index_entry entry;

		ck_assert_int_eq(index_entry_decode(&entry, at, CHUNK), STATUS_OK);
		ck_assert_uint_eq(entry.member_offset, sample.member_offset);
		ck_assert_uint_eq(entry.source_offset,
				  sample.source_offset + (uint64_t)i * CHUNK);
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
	ck_assert_uint_eq(index_segment_seal_with(raw, &piece_id, UNIT, count, 0), length);
	ck_assert_int_eq(index_header_decode_with(&header, raw, 0), STATUS_OK);
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
	index_segment_seal_with(raw, &piece_id, 0, ENTRIES, 0);
	piece_check_flips(&piece, raw);
	ck_assert_int_eq(index_header_decode_with(&header, raw, 0), STATUS_OK);
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
	index_segment_seal_with(raw, &piece_id, 0, ENTRIES, 0);
	piece_check_change(&piece, raw, &changes[_i], true, changes[_i].want);
	piece_check_change(&piece, raw, &changes[_i], false, STATUS_DAMAGED);
}
END_TEST

/* Too large by one, with a length that goes with it. */
START_TEST(test_too_many_entries)
{
	uint8_t raw[4096];

	put_sample_entries(raw);
	index_segment_seal_with(raw, &piece_id, 0, ENTRIES, 0);
	put_le32(raw + 32, 32767);
	put_le32(raw + 36, (1 << 20) + 4096);
	piece_reseal(&piece, raw);
	ck_assert_int_eq(decode(raw), STATUS_DAMAGED);
}
END_TEST

/* An entry has no checksum of its own: piece_change's offsets are in the entry. */
static const struct piece_change entry_changes[] = {
	{ 0, 8, UNIT, STATUS_OK },
	{ 0, 8, UNIT + 1, STATUS_DAMAGED },
	{ 0, 8, 0x7ffffffffffff000, STATUS_DAMAGED },
	{ 0, 8, UINT64_MAX, STATUS_DAMAGED },
	{ 8, 8, 0, STATUS_OK },
	{ 8, 8, 4095, STATUS_DAMAGED },
	{ 8, 8, 0x7ffffffffffff000, STATUS_DAMAGED },
	{ 8, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 16, 4, 0, STATUS_DAMAGED },
	{ 16, 4, 1, STATUS_OK },
	{ 16, 4, CHUNK, STATUS_OK },
	{ 16, 4, CHUNK + 1, STATUS_DAMAGED },
	{ 16, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 20, 4, 0, STATUS_DAMAGED },
	{ 20, 4, 4096, STATUS_OK },
	{ 20, 4, 4097, STATUS_DAMAGED },
	{ 20, 4, CHUNK + 4096, STATUS_OK },
	{ 20, 4, CHUNK + 8192, STATUS_DAMAGED },
	{ 20, 4, 0xfffff000, STATUS_DAMAGED },
	{ 28, 4, UINT32_MAX, STATUS_OK },
};

START_TEST(test_entry_change)
{
	const struct piece_change *change = &entry_changes[_i];
	uint8_t raw[INDEX_ENTRY_LENGTH];
	struct index_entry entry;

	index_entry_encode(&sample, raw);
	if (change->bytes == 4)
		put_le32(raw + change->at, (uint32_t)change->value);
	else
		put_le64(raw + change->at, change->value);
	ck_assert_int_eq(index_entry_decode(&entry, raw, CHUNK), change->want);
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
	tcase_add_loop_test(tcase, test_entry_change, 0, LENGTH(entry_changes));
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
