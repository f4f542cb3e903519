// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 3, 9 and 11. */
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

	return footer_decode(&footer, raw);
}

static const struct piece_format piece = { decode, 4088 };

/* A checkpoint after layer 2 of a set whose free pages are saved after all. */
static struct footer sample(void)
{
	struct footer footer = {
		.set = {
			.id = piece_id,
			.number = 1,
			.members = 2,
			.block_size = 8192,
			.chunk_size = 1 << 21,
			.cell_size = 1 << 24,
			.source_size = 0x123456789,
			.created = 1000000000,
			.codec = "lzo",
			.creator = "nsplit 0.1.0",
			.source = "core",
			.classes = class_table_plain(),
			.second = { 1, { { 0x5000000, 0x3000, 0x1000 } } },
		},
		.offset = 0x12000,
		.index = 0x11000,
		.records = 5,
		.source_bytes = 9876543,
		.blocks = { 10, 11, 12, 13 },
		.finished = 1000000042,
		.stopped = true,
		.checkpoint = true,
		.whole = 2,
		.figures = { .unreadable = 0x8000 },
		.reason = "the free pages do not add up",
	};

	footer.set.classes.of[CLASS_MAP] = class_entry(CLASS_SAVED, 2);
	footer.set.classes.of[CLASS_FREE] = class_entry(CLASS_SAVED_AFTER_ALL, 4);
	for (unsigned i = 0; i < CLASSES; i++) {
		footer.figures.first[i] = 0x1000 + i;
		footer.figures.named[i] = 0x2000 + i;
		footer.figures.later[i] = 0x3000 + i;
	}
	return footer;
}

static void assert_round_trip(const struct footer *footer)
{
	uint8_t raw[FOOTER_LENGTH], again[FOOTER_LENGTH];
	struct footer back;

	memset(&back, 0xff, sizeof(back));
	footer_encode(footer, raw);
	ck_assert_int_eq(footer_decode(&back, raw), STATUS_OK);
	ck_assert_uint_eq(back.offset, footer->offset);
	ck_assert_uint_eq(back.index, footer->index);
	ck_assert_uint_eq(back.records, footer->records);
	ck_assert_uint_eq(back.source_bytes, footer->source_bytes);
	ck_assert_mem_eq(back.blocks, footer->blocks, sizeof(back.blocks));
	ck_assert_int_eq(back.finished, footer->finished);
	ck_assert_int_eq(back.stopped, footer->stopped);
	ck_assert_int_eq(back.checkpoint, footer->checkpoint);
	ck_assert_uint_eq(back.whole, footer->whole);
	ck_assert_mem_eq(&back.figures, &footer->figures, sizeof(back.figures));
	ck_assert_int_eq(back.has_root, footer->has_root);
	ck_assert_mem_eq(back.root, footer->root, ROOT_LENGTH);
	ck_assert_str_eq(back.reason, footer->reason);
	ck_assert_uint_eq(back.set.source_size, footer->set.source_size);
	ck_assert_uint_eq(back.set.fallbacks, footer->set.fallbacks);
	ck_assert_mem_eq(back.set.classes.of, footer->set.classes.of, CLASSES);
	ck_assert_ptr_null(superblocks_differ(&back.set, &footer->set));
	/* The rest. */
	footer_encode(&back, again);
	piece_check_bytes(again, raw, sizeof(raw));
}

START_TEST(test_round_trip)
{
	struct footer footer = sample();

	assert_round_trip(&footer);
	footer.stopped = false;
	footer.whole = LAYERS_MAX;
	memset(footer.reason, 'x', REASON_TEXT_LENGTH);
	assert_round_trip(&footer);
	footer.checkpoint = false;
	footer.finished = -1;
	footer.set.fallbacks = 7;
	footer.set.classes = class_table_plain();	/* a stream, which was stopped */
	footer.set.second.count = 0;
	footer.set.source_size = SOURCE_SIZE_UNKNOWN;
	footer.offset = round_down(OFFSET_MAX - FOOTER_LENGTH, ALIGNMENT);
	footer.index = footer.offset - ALIGNMENT;
	assert_round_trip(&footer);
	footer.records = 0;		/* an empty member */
	footer.index = 0;
	footer.offset = ALIGNMENT;
	assert_round_trip(&footer);
}
END_TEST

/* In bytes that were reserved before; without bit 2 of the flags they remain so. */
START_TEST(test_root)
{
	static const uint8_t zeros[ROOT_LENGTH];
	struct footer footer = sample(), back;
	uint8_t raw[FOOTER_LENGTH];

	footer_encode(&footer, raw);
	ck_assert_mem_eq(raw + 904, zeros, ROOT_LENGTH);
	footer.has_root = true;
	for (int i = 0; i < ROOT_LENGTH; i++)
		footer.root[i] = (uint8_t)(200 + i);
	footer_encode(&footer, raw);
	ck_assert_uint_eq(get_le32(raw + 496), 7);
	ck_assert_mem_eq(raw + 904, footer.root, ROOT_LENGTH);
	ck_assert_mem_eq(raw + 904 + ROOT_LENGTH, zeros, ROOT_LENGTH);
	assert_round_trip(&footer);
	/* A later version may use the bytes for something else. */
	put_le32(raw + 496, 3);
	piece_reseal(&piece, raw);
	ck_assert_int_eq(footer_decode(&back, raw), STATUS_OK);
	ck_assert(!back.has_root);
	ck_assert_mem_eq(back.root, zeros, ROOT_LENGTH);
}
END_TEST

START_TEST(test_capture_tag)
{
	struct footer footer = sample(), back;
	uint8_t raw[FOOTER_LENGTH];

	footer.set.id.tag = 0xa1b2c3d4;
	footer_encode(&footer, raw);
	ck_assert_mem_eq(raw + 396, "\xd4\xc3\xb2\xa1", 4);
	ck_assert_int_eq(footer_decode(&back, raw), STATUS_OK);
	ck_assert(capture_id_equal(&back.set.id, &footer.set.id));
}
END_TEST

START_TEST(test_golden)
{
	static const uint8_t own[80] =
		"\0\x20\1\0\0\0\0\0" "\0\x10\1\0\0\0\0\0" "\5\0\0\0\0\0\0\0"
		"\x3f\xb4\x96\0\0\0\0\0"
		"\xa\0\0\0\0\0\0\0" "\xb\0\0\0\0\0\0\0" "\xc\0\0\0\0\0\0\0"
		"\xd\0\0\0\0\0\0\0"
		"\x2a\xca\x9a\x3b\0\0\0\0" "\3\0\0\0" "\2\0\0";
	struct footer footer = sample();
	uint8_t raw[FOOTER_LENGTH], want[FOOTER_LENGTH];

	/* Its own fields are where a superblock has reserved bytes. */
	superblock_encode(&footer.set, want);
	memcpy(want, "nsplitFT", 8);
	memcpy(want + 424, own, sizeof(own));
	for (unsigned i = 0; i < CLASSES; i++) {
		put_le64(want + 512 + 8 * i, 0x1000 + i);
		put_le64(want + 640 + 8 * i, 0x2000 + i);
		put_le64(want + 768 + 8 * i, 0x3000 + i);
	}
	put_le64(want + 896, 0x8000);
	memcpy(want + 1024, "the free pages do not add up", 28);
	put_le64(want + 4088, UINT64_C(0xd312d8c4e0f4b11a));
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
	{ 504, 8, UINT64_MAX, STATUS_OK },
	{ 904, 8, UINT64_MAX, STATUS_OK },
	{ 1280, 8, UINT64_MAX, STATUS_OK },
	{ 3584, 8, UINT64_MAX, STATUS_OK },
	{ 4080, 8, UINT64_MAX, STATUS_OK },
	/* As in a superblock. */
	{ 40, 4, 2, STATUS_DAMAGED },
	{ 44, 4, 0, STATUS_DAMAGED },
	{ 44, 4, 255, STATUS_DAMAGED },
	{ 48, 4, 2048, STATUS_DAMAGED },
	{ 52, 4, 4096, STATUS_DAMAGED },
	{ 52, 4, 1 << 25, STATUS_DAMAGED },
	{ 56, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 56, 8, UINT64_MAX, STATUS_DAMAGED },
	{ 400, 4, 0, STATUS_DAMAGED },
	{ 400, 4, 1 << 20, STATUS_DAMAGED },
	{ 400, 4, 1 << 26, STATUS_OK },
	{ 404, 4, 0, STATUS_OK },
	{ 404, 4, 2, STATUS_DAMAGED },		/* the second is empty */
	{ 404, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 408, 4, 0x01030211, STATUS_DAMAGED },
	{ 416, 4, 0x01010130, STATUS_DAMAGED },
	{ 2048, 8, 0x5000800, STATUS_DAMAGED },
	{ 2064, 8, 0x5001000, STATUS_DAMAGED },
	/* Its own offset: a multiple of 4096, and the member ends within 2^63 - 1. */
	{ 424, 8, 0x12001, STATUS_DAMAGED },
	{ 424, 8, 0x7fffffffffffe000, STATUS_OK },
	{ 424, 8, 0x7ffffffffffff000, STATUS_DAMAGED },
	{ 424, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	/* The index: a multiple of 4096 before the footer, none only without records. */
	{ 432, 8, 0x11800, STATUS_DAMAGED },
	{ 432, 8, 0x12000, STATUS_DAMAGED },
	{ 432, 8, 0x13000, STATUS_DAMAGED },
	{ 432, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 432, 8, 0x1000, STATUS_OK },
	{ 432, 8, 0, STATUS_DAMAGED },
	{ 440, 8, 0, STATUS_DAMAGED },
	{ 440, 8, UINT64_MAX, STATUS_OK },
	/* Layers, and figures, which are for reports. */
	{ 500, 4, 0, STATUS_OK },
	{ 500, 4, 15, STATUS_OK },
	{ 500, 4, 16, STATUS_DAMAGED },
	{ 500, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 512, 8, UINT64_MAX, STATUS_OK },
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

	for (uint32_t flags = 0; flags < 8; flags++) {
		footer_encode(&footer, raw);
		put_le32(raw + 496, 0xfffffff8 | flags);
		piece_reseal(&piece, raw);
		ck_assert_int_eq(footer_decode(&back, raw), STATUS_OK);
		ck_assert_int_eq(back.stopped, flags & 1);
		ck_assert_int_eq(back.checkpoint, flags >> 1 & 1);
		ck_assert_int_eq(back.has_root, flags >> 2);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("footer");
	TCase *tcase = tcase_create("footer");

	tcase_add_test(tcase, test_round_trip);
	tcase_add_test(tcase, test_root);
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
