// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 2, 7 and 9. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/footer.h"
#include "helper.h"
#include "piece_check.h"

static enum status decode(const uint8_t *raw)
{
	struct footer footer;

	return footer_decode_with(&footer, raw, 0);
}

static const struct piece_format piece = { decode, 4088 };

static struct footer sample(void)
{
	struct footer footer = {
		.set = {
			.id = piece_id,
			.number = 0,
			.members = 2,
			.block_size = 8192,
			.chunk_size = 1 << 21,
			.source_size = 12345678,
			.created = 1000000000,
			.codec = "lzo",
			.creator = "nsplit 0.1.0",
			.source = "core",
		},
		.offset = 0x12000,
		.index = 0x11000,
		.records = 5,
		.source_bytes = 9876543,
		.blocks = { 10, 11, 12, 13, 14 },
		.finished = 1000000042,
		.stopped = true,
	};

	return footer;
}

static void assert_round_trip(const struct footer *footer)
{
	uint8_t raw[FOOTER_LENGTH], again[FOOTER_LENGTH];
	struct footer back;

	memset(&back, 0xff, sizeof(back));
	footer_encode(footer, raw);
	ck_assert_int_eq(footer_decode_with(&back, raw, 0), STATUS_OK);
	ck_assert_uint_eq(back.offset, footer->offset);
	ck_assert_uint_eq(back.index, footer->index);
	ck_assert_uint_eq(back.records, footer->records);
	ck_assert_uint_eq(back.source_bytes, footer->source_bytes);
	ck_assert_mem_eq(back.blocks, footer->blocks, sizeof(back.blocks));
	ck_assert_int_eq(back.finished, footer->finished);
	ck_assert_int_eq(back.stopped, footer->stopped);
	ck_assert_uint_eq(back.set.source_size, footer->set.source_size);
	ck_assert_uint_eq(back.set.fallbacks, footer->set.fallbacks);
	/* The rest of the superblock's half. */
	footer_encode(&back, again);
	piece_check_bytes(again, raw, sizeof(raw));
}

START_TEST(test_round_trip)
{
	struct footer footer = sample();

	assert_round_trip(&footer);
	footer.stopped = false;
	footer.finished = -1;
	footer.set.fallbacks = 7;
	footer.set.source_size = SOURCE_SIZE_UNKNOWN;
	footer.offset = round_down(OFFSET_MAX - FOOTER_LENGTH, UNIT);
	footer.index = footer.offset - UNIT;
	assert_round_trip(&footer);
	footer.records = 0;		/* an empty member */
	footer.index = 0;
	footer.offset = UNIT;
	assert_round_trip(&footer);
}
END_TEST

START_TEST(test_capture_tag)
{
	struct footer footer = sample(), back;
	uint8_t raw[FOOTER_LENGTH];

	footer.set.id.tag = 0xa1b2c3d4;
	footer_encode(&footer, raw);
	ck_assert_mem_eq(raw + 480, "\xd4\xc3\xb2\xa1", 4);
	ck_assert_int_eq(footer_decode_with(&back, raw, 0), STATUS_OK);
	ck_assert(capture_id_equal(&back.set.id, &footer.set.id));
}
END_TEST

START_TEST(test_golden)
{
	static const uint8_t tail[84] =
		"\0\x20\1\0\0\0\0\0" "\0\x10\1\0\0\0\0\0" "\5\0\0\0\0\0\0\0"
		"\x3f\xb4\x96\0\0\0\0\0"
		"\xa\0\0\0\0\0\0\0" "\xb\0\0\0\0\0\0\0" "\xc\0\0\0\0\0\0\0"
		"\xd\0\0\0\0\0\0\0" "\xe\0\0\0\0\0\0\0"
		"\x2a\xca\x9a\x3b\0\0\0\0" "\1\0\0";
	struct footer footer = sample();
	uint8_t raw[FOOTER_LENGTH], want[FOOTER_LENGTH];

	/* Up to offset 392 as a superblock, but for the magic. */
	superblock_encode(&footer.set, want);
	memcpy(want, "nsplitFT", 8);
	memset(want + 392, 0, sizeof(want) - 392);
	memcpy(want + 392, tail, sizeof(tail));
	put_le64(want + 4088, UINT64_C(0x17b4dcdc4de93545));
	memset(raw, 0xff, sizeof(raw));
	footer_encode(&footer, raw);
	piece_check_bytes(raw, want, sizeof(want));
}
END_TEST

START_TEST(test_flips)
{
	struct footer footer = sample();
	uint8_t raw[FOOTER_LENGTH];

	footer_encode(&footer, raw);
	piece_check_flips(&piece, raw);
}
END_TEST

static const struct piece_change changes[] = {
	{ 8, 4, 2, STATUS_UNSUPPORTED },
	{ 16, 8, 4, STATUS_UNSUPPORTED },
	{ 12, 4, UINT32_MAX, STATUS_OK },
	{ 476, 4, UINT32_MAX, STATUS_OK },
	{ 4080, 8, UINT64_MAX, STATUS_OK },
	/* The superblock's half. */
	{ 40, 4, 2, STATUS_DAMAGED },
	{ 44, 4, 0, STATUS_DAMAGED },
	{ 44, 4, 255, STATUS_DAMAGED },
	{ 48, 4, 2048, STATUS_DAMAGED },
	{ 48, 4, 1 << 21, STATUS_DAMAGED },
	{ 52, 4, 4096, STATUS_DAMAGED },
	{ 52, 4, 1 << 27, STATUS_DAMAGED },
	{ 56, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 56, 8, UINT64_MAX, STATUS_OK },
	/* Its own offset: a multiple of 4096, and the member ends within 2^63 - 1. */
	{ 392, 8, 0x12001, STATUS_DAMAGED },
	{ 392, 8, 0x7ffffffffffff000, STATUS_DAMAGED },
	{ 392, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	/* The index: a multiple of 4096 before the footer, none only without records. */
	{ 400, 8, 0x11800, STATUS_DAMAGED },
	{ 400, 8, 0x12000, STATUS_DAMAGED },
	{ 400, 8, 0x13000, STATUS_DAMAGED },
	{ 400, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 400, 8, 0x1000, STATUS_OK },
	{ 400, 8, 0, STATUS_DAMAGED },
	{ 408, 8, 0, STATUS_DAMAGED },
	{ 408, 8, UINT64_MAX, STATUS_OK },
};

START_TEST(test_change)
{
	struct footer footer = sample();
	uint8_t raw[FOOTER_LENGTH];

	footer_encode(&footer, raw);
	piece_check_change(&piece, raw, &changes[_i], true, changes[_i].want);
	piece_check_change(&piece, raw, &changes[_i], false, STATUS_DAMAGED);
}
END_TEST

START_TEST(test_other_pieces)
{
	static const char *const magics[] = { "nsplitSB", "nsplitRC", "nsplitIX", "nsplitft" };
	struct footer footer = sample();
	uint8_t raw[FOOTER_LENGTH];

	footer_encode(&footer, raw);
	memcpy(raw, magics[_i], FORMAT_MAGIC_LENGTH);
	piece_reseal(&piece, raw);
	ck_assert_int_eq(decode(raw), STATUS_NOT_OURS);
}
END_TEST

/* Flags of a later version that an older reader may pass over. */
START_TEST(test_flags)
{
	struct footer footer = sample(), back;
	uint8_t raw[FOOTER_LENGTH];

	footer_encode(&footer, raw);
	put_le32(raw + 472, 0xfffffffe);
	piece_reseal(&piece, raw);
	ck_assert_int_eq(footer_decode_with(&back, raw, 0), STATUS_OK);
	ck_assert(!back.stopped);
	put_le32(raw + 472, 0xffffffff);
	piece_reseal(&piece, raw);
	ck_assert_int_eq(footer_decode_with(&back, raw, 0), STATUS_OK);
	ck_assert(back.stopped);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("footer");
	TCase *tcase = tcase_create("footer");

	tcase_add_test(tcase, test_round_trip);
	tcase_add_test(tcase, test_capture_tag);
	tcase_add_test(tcase, test_golden);
	tcase_add_test(tcase, test_flips);
	tcase_add_loop_test(tcase, test_change, 0, LENGTH(changes));
	tcase_add_loop_test(tcase, test_other_pieces, 0, 4);
	tcase_add_test(tcase, test_flags);
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
