// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 17 and 19: superblock, footer and index of a set with layers. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/footer.h"
#include "format/index.h"
#include "gathered_sample.h"
#include "helper.h"
#include "piece_check.h"

static enum status decode_superblock(const uint8_t *raw)
{
	struct superblock sb;

	return superblock_decode_with(&sb, raw, FEATURE_LAYERS);
}

static enum status decode_footer(const uint8_t *raw)
{
	struct footer footer;

	return footer_decode_with(&footer, raw, FEATURE_LAYERS);
}

static enum status decode_index(const uint8_t *raw)
{
	struct index_header header;

	return index_header_decode_with(&header, raw, FEATURE_LAYERS);
}

static const struct piece_format superblock_piece = { decode_superblock, 4088 };
static const struct piece_format footer_piece = { decode_footer, 4088 };
static const struct piece_format index_piece = { decode_index, 56 };

/* The kernel, then the memory map, then the cache with private data; free pages are left out. */
static struct superblock sample(void)
{
	struct superblock sb = {
		.id = piece_id,
		.features = FEATURE_LAYERS,
		.number = 1,
		.members = 2,
		.block_size = 4096,
		.chunk_size = SAMPLE_CHUNK,
		.source_size = 0x123456789,
		.created = 1000000000,
		.codec = "zstd:3",
		.creator = "nsplit 0.1.0",
		.source = "/proc/vmcore",
		.cell_size = SAMPLE_CELL,
		.classes = class_table_plain(),
	};

	sb.classes.of[CLASS_MAP] = class_entry(CLASS_SAVED, 2);
	sb.classes.of[CLASS_PRIVATE] = class_entry(CLASS_SAVED, 3);
	sb.classes.of[CLASS_FREE] = class_entry(CLASS_PLANNED_OUT, 0);
	return sb;
}

static struct footer sample_footer(void)
{
	struct footer footer = {
		.set = sample(),
		.offset = 0x12000,
		.index = 0x11000,
		.records = 5,
		.source_bytes = 0x5000,
		.blocks = { 1, 2, 3, 4, 0 },
		.finished = 1000000042,
		.mark = true,
		.whole = 2,
		.figures = { .aliased = 0x7000, .unreadable = 0x8000 },
		.reason = "the free pages do not add up",
	};

	footer.set.classes.of[CLASS_FREE] = class_entry(CLASS_SAVED_AFTER_ALL, 4);
	for (unsigned i = 0; i < CLASSES; i++) {
		footer.figures.first[i] = 0x1000 + i;
		footer.figures.named[i] = 0x2000 + i;
		footer.figures.later[i] = 0x3000 + i;
	}
	return footer;
}

/* --- superblock ---------------------------------------------------------- */

START_TEST(test_superblock)
{
	struct superblock sb = sample(), back;
	uint8_t raw[SUPERBLOCK_LENGTH], want[SUPERBLOCK_LENGTH];

	memset(&back, 0xff, sizeof(back));
	superblock_encode(&sb, raw);
	ck_assert_int_eq(superblock_decode_with(&back, raw, FEATURE_LAYERS), STATUS_OK);
	ck_assert_uint_eq(back.features, FEATURE_LAYERS);
	ck_assert_uint_eq(back.cell_size, SAMPLE_CELL);
	ck_assert_mem_eq(back.classes.of, sb.classes.of, CLASSES);
	ck_assert_ptr_null(superblocks_differ(&sb, &back));
	/* Readers that predate layers. */
	ck_assert_int_eq(superblock_decode_with(&back, raw, 0), STATUS_UNSUPPORTED);

	/* Otherwise as without layers. */
	sb.features = 0;
	superblock_encode(&sb, want);
	ck_assert_uint_eq(want[400], 0);
	memcpy(want + 16, "\1", 1);
	memcpy(want + 400, "\0\0\0\1", 4);
	memcpy(want + 408, "\1\2\3\1\1\1\1\1\x10\1\1\1\1\1\1\1", 16);
	piece_reseal(&superblock_piece, want);
	piece_check_bytes(raw, want, sizeof(want));
}
END_TEST

START_TEST(test_superblock_flips)
{
	struct superblock sb = sample();
	uint8_t raw[SUPERBLOCK_LENGTH];

	superblock_encode(&sb, raw);
	piece_check_flips(&superblock_piece, raw);
}
END_TEST

static const struct piece_change superblock_changes[] = {
	{ 8, 4, 2, STATUS_UNSUPPORTED },
	{ 16, 8, 0, STATUS_OK },
	{ 16, 8, 2, STATUS_UNSUPPORTED },
	{ 16, 8, 3, STATUS_UNSUPPORTED },
	{ 56, 8, UINT64_MAX, STATUS_DAMAGED },	/* a stream has no layers */
	{ 400, 4, 0, STATUS_DAMAGED },
	{ 400, 4, SAMPLE_CHUNK, STATUS_OK },
	{ 400, 4, SAMPLE_CHUNK / 2, STATUS_DAMAGED },
	{ 400, 4, SAMPLE_CHUNK * 3 / 2, STATUS_DAMAGED },
	{ 400, 4, 1 << 26, STATUS_OK },
	{ 400, 4, (1 << 26) + SAMPLE_CHUNK, STATUS_DAMAGED },
	{ 404, 4, UINT32_MAX, STATUS_OK },
	{ 408, 4, 0x01030200, STATUS_DAMAGED },	/* the kernel is in layer 1 */
	{ 408, 4, 0x01030002, STATUS_DAMAGED },
	{ 420, 4, 0x500101f1, STATUS_DAMAGED },
	{ 424, 8, UINT64_MAX, STATUS_OK },
};

START_TEST(test_superblock_change)
{
	struct superblock sb = sample();
	uint8_t raw[SUPERBLOCK_LENGTH];

	superblock_encode(&sb, raw);
	piece_check_change(&superblock_piece, raw, &superblock_changes[_i], true,
			   superblock_changes[_i].want);
	piece_check_change(&superblock_piece, raw, &superblock_changes[_i], false, STATUS_DAMAGED);
}
END_TEST

/* The plan and what became of it may differ; features and cell size may not. */
START_TEST(test_differ)
{
	struct superblock a = sample(), b = sample();

	b.classes.of[CLASS_FREE] = class_entry(CLASS_LEFT_OUT, 0);
	ck_assert_ptr_null(superblocks_differ(&a, &b));
	b.cell_size *= 2;
	ck_assert_str_eq(superblocks_differ(&a, &b), "cell size");
	b.features = 0;
	ck_assert_str_eq(superblocks_differ(&a, &b), "features");
	b.chunk_size *= 2;
	ck_assert_str_eq(superblocks_differ(&a, &b), "chunk size");
}
END_TEST

/* --- footer -------------------------------------------------------------- */

static void assert_footer(const struct footer *footer)
{
	uint8_t raw[FOOTER_LENGTH], again[FOOTER_LENGTH];
	struct footer back;

	memset(&back, 0xff, sizeof(back));
	footer_encode(footer, raw);
	ck_assert_int_eq(footer_decode_with(&back, raw, FEATURE_LAYERS), STATUS_OK);
	ck_assert_int_eq(back.mark, footer->mark);
	ck_assert_int_eq(back.stopped, footer->stopped);
	ck_assert_uint_eq(back.whole, footer->whole);
	ck_assert_mem_eq(&back.figures, &footer->figures, sizeof(back.figures));
	ck_assert_mem_eq(back.set.classes.of, footer->set.classes.of, CLASSES);
	ck_assert_str_eq(back.reason, footer->reason);
	footer_encode(&back, again);
	piece_check_bytes(again, raw, sizeof(raw));
	ck_assert_int_eq(footer_decode_with(&back, raw, 0), STATUS_UNSUPPORTED);
}

START_TEST(test_footer)
{
	struct footer footer = sample_footer();

	assert_footer(&footer);
	footer.mark = false;
	footer.stopped = true;
	footer.whole = 15;
	memset(footer.reason, 'x', REASON_TEXT_LENGTH);
	assert_footer(&footer);
}
END_TEST

START_TEST(test_footer_golden)
{
	struct footer footer = sample_footer();
	uint8_t raw[FOOTER_LENGTH], want[FOOTER_LENGTH];

	footer_encode(&footer, raw);
	footer.set.features = 0;
	footer_encode(&footer, want);
	want[16] = 1;
	want[472] = 2;
	memcpy(want + 484, "\0\0\0\1" "\2\0\0\0", 8);
	memcpy(want + 496, "\1\2\3\1\1\1\1\1\x34\1\1\1\1\1\1\1", 16);
	for (unsigned i = 0; i < CLASSES; i++) {
		put_le64(want + 512 + 8 * i, 0x1000 + i);
		put_le64(want + 640 + 8 * i, 0x2000 + i);
		put_le64(want + 768 + 8 * i, 0x3000 + i);
	}
	put_le64(want + 896, 0x7000);
	put_le64(want + 904, 0x8000);
	memcpy(want + 1024, "the free pages do not add up", 28);
	piece_reseal(&footer_piece, want);
	piece_check_bytes(raw, want, sizeof(want));
}
END_TEST

START_TEST(test_footer_flips)
{
	struct footer footer = sample_footer();
	uint8_t raw[FOOTER_LENGTH];

	footer_encode(&footer, raw);
	piece_check_flips(&footer_piece, raw);
}
END_TEST

static const struct piece_change footer_changes[] = {
	{ 16, 8, 2, STATUS_UNSUPPORTED },
	{ 472, 4, 0xfffffffc, STATUS_OK },
	{ 484, 4, 0, STATUS_DAMAGED },
	{ 484, 4, SAMPLE_CHUNK - 4096, STATUS_DAMAGED },
	{ 488, 4, 0, STATUS_OK },
	{ 488, 4, 15, STATUS_OK },
	{ 488, 4, 16, STATUS_DAMAGED },
	{ 488, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 492, 4, UINT32_MAX, STATUS_OK },
	{ 496, 4, 0x01030211, STATUS_DAMAGED },
	{ 504, 4, 0x01010130, STATUS_DAMAGED },
	{ 512, 8, UINT64_MAX, STATUS_OK },
	{ 912, 8, UINT64_MAX, STATUS_OK },
	{ 1280, 8, UINT64_MAX, STATUS_OK },
};

START_TEST(test_footer_change)
{
	struct footer footer = sample_footer();
	uint8_t raw[FOOTER_LENGTH];

	footer_encode(&footer, raw);
	piece_check_change(&footer_piece, raw, &footer_changes[_i], true, footer_changes[_i].want);
	piece_check_change(&footer_piece, raw, &footer_changes[_i], false, STATUS_DAMAGED);
}
END_TEST

/* --- index --------------------------------------------------------------- */

START_TEST(test_entry)
{
	static const uint8_t want[INDEX_ENTRY_LENGTH] =
		"\0\0\6\5\4\3\2\1" "\0\0\x10\5\0\0\0\0" "\x64\0\1\x10" "\1\0" "\1\1" "\1\0" "\3\0"
		"\0\0\0";
	struct record record;
	uint8_t *bytes = sample_record(&record), raw[INDEX_ENTRY_LENGTH];
	struct index_entry entry = index_entry_of(&record, 0x0102030405060000), back;

	ck_assert_uint_eq(entry.layer, 1);
	ck_assert_uint_eq(entry.stored, 3);
	ck_assert_uint_eq(entry.named, 1 << CLASS_FREE | INDEX_HAS_ALIASES);
	memset(raw, 0xff, sizeof(raw));
	index_entry_encode(&entry, raw);
	piece_check_bytes(raw, want, sizeof(want));
	ck_assert_int_eq(index_entry_decode_gathered(&back, raw, SAMPLE_CHUNK, SAMPLE_CELL),
			 STATUS_OK);
	ck_assert_uint_eq(back.member_offset, entry.member_offset);
	ck_assert_uint_eq(back.source_offset, entry.source_offset);
	ck_assert_uint_eq(back.source_length, entry.source_length);
	ck_assert_uint_eq(back.record_length, entry.record_length);
	ck_assert_uint_eq(back.unreadable, entry.unreadable);
	ck_assert_uint_eq(back.stored, entry.stored);
	ck_assert_uint_eq(back.named, entry.named);
	ck_assert_uint_eq(back.layer, entry.layer);
	free(bytes);
}
END_TEST

/* The entry of the longest record. */
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
		{ 1, 4, 0, INDEX_HAS_ALIASES, 5, -1, 0 },
		{ 1, 0, 0, 1 << CLASS_FREE, 1, RUN_NAMED, CLASS_FREE },
		{ 1, 0, 0, 1 << 15, 1, RUN_NAMED, 15 },
		{ 1, 0, 0, 1 << CLASS_FREE, 2, -1, 0 },
		{ 1, 0, 1, 1 << CLASS_FREE, 1, -1, 0 },
		{ 1, 0, 0, 1 << CLASS_FREE | INDEX_HAS_ALIASES, 1, -1, 0 },
		{ 1, 0, 0, 1 << CLASS_FREE | 1 << CLASS_CLEAN, 1, -1, 0 },
		{ 1, 0, 0, INDEX_HAS_ALIASES, 1, -1, 0 },
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
			.record_length = cases[i].units * UNIT,
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

START_TEST(test_longest_entry)
{
	struct record record = {
		.source_length = CELL_SIZE_MAX,
		.block_size = 4096,
		.payload_offset = 128 + 65536 + 8192 + 65536,
		.payload_length = CHUNK_SIZE_MAX,
		.gathered = { .layer = 15, .runs = 16384, .stored_length = CHUNK_SIZE_MAX },
	};
	struct index_entry entry = index_entry_of(&record, 4096), back;
	uint8_t raw[INDEX_ENTRY_LENGTH];

	index_entry_encode(&entry, raw);
	ck_assert_int_eq(index_entry_decode_gathered(&back, raw, CHUNK_SIZE_MAX, CELL_SIZE_MAX),
			 STATUS_OK);
	ck_assert_uint_eq(back.record_length,
			  record_length_max_gathered(CHUNK_SIZE_MAX, CELL_SIZE_MAX));
	ck_assert_uint_eq(back.source_length, CELL_SIZE_MAX);
	ck_assert_uint_eq(back.stored, 16384);
	ck_assert_uint_eq(back.layer, 15);
}
END_TEST

/* Offsets in the entry of a layer 2 record of 0x14 granules that stores 4. */
static const struct piece_change entry_changes[] = {
	{ 0, 8, UNIT + 1, STATUS_DAMAGED },
	{ 0, 8, 0x7ffffffffffff000, STATUS_DAMAGED },
	{ 8, 8, 0xfec000, STATUS_OK },
	{ 8, 8, 0xfed000, STATUS_DAMAGED },		/* beyond the cell */
	{ 8, 8, 0x100800, STATUS_DAMAGED },
	{ 8, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 16, 4, 0x00014000, STATUS_DAMAGED },		/* layer 0 */
	{ 16, 4, 0xf0014000, STATUS_OK },
	{ 16, 4, 0x20000000, STATUS_DAMAGED },
	{ 16, 4, 0x20004001, STATUS_OK },
	{ 16, 4, 0x20003000, STATUS_DAMAGED },		/* fewer granules than stored */
	{ 16, 4, 0x2fffffff, STATUS_DAMAGED },
	{ 20, 4, 0x00000000, STATUS_DAMAGED },		/* no record is so short */
	{ 20, 4, 0x00000001, STATUS_OK },
	{ 20, 4, 0x00000107, STATUS_OK },
	{ 20, 4, 0x00000108, STATUS_DAMAGED },		/* or so long */
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
		.member_offset = UNIT, .source_offset = 0x100000, .source_length = 0x14000,
		.record_length = 2 * UNIT, .stored = 4, .layer = 2,
	};
	uint8_t raw[INDEX_ENTRY_LENGTH];
	struct index_entry entry;

	index_entry_encode(&sample_entry, raw);
	ck_assert_int_eq(index_entry_decode_gathered(&entry, raw, SAMPLE_CHUNK, SAMPLE_CELL),
			 STATUS_OK);
	if (change->bytes == 4)
		put_le32(raw + change->at, (uint32_t)change->value);
	else
		put_le64(raw + change->at, change->value);
	ck_assert_int_eq(index_entry_decode_gathered(&entry, raw, SAMPLE_CHUNK, SAMPLE_CELL),
			 change->want);
}
END_TEST

START_TEST(test_segment)
{
	struct record record;
	uint8_t *bytes = sample_record(&record), raw[UNIT];
	struct index_entry entry = index_entry_of(&record, UNIT);
	struct index_header header;

	index_entry_encode(&entry, raw + INDEX_HEADER_LENGTH);
	ck_assert_uint_eq(index_segment_seal_with(raw, &piece_id, 0, 1, FEATURE_LAYERS), UNIT);
	ck_assert_mem_eq(raw + 48, "\1\0\0\0\0\0\0\0", 8);
	ck_assert_int_eq(index_header_decode_with(&header, raw, FEATURE_LAYERS), STATUS_OK);
	ck_assert_uint_eq(header.features, FEATURE_LAYERS);
	ck_assert_uint_eq(header.count, 1);
	ck_assert_int_eq(index_check_entries(&header, raw), STATUS_OK);
	ck_assert_int_eq(index_header_decode_with(&header, raw, 0), STATUS_UNSUPPORTED);
	piece_check_flips(&index_piece, raw);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layered_pieces");
	TCase *superblock = tcase_create("superblock"), *footer = tcase_create("footer");
	TCase *index = tcase_create("index");

	tcase_add_test(superblock, test_superblock);
	tcase_add_test(superblock, test_superblock_flips);
	tcase_add_loop_test(superblock, test_superblock_change, 0, LENGTH(superblock_changes));
	tcase_add_test(superblock, test_differ);
	tcase_set_timeout(superblock, 60);
	suite_add_tcase(suite, superblock);
	tcase_add_test(footer, test_footer);
	tcase_add_test(footer, test_footer_golden);
	tcase_add_test(footer, test_footer_flips);
	tcase_add_loop_test(footer, test_footer_change, 0, LENGTH(footer_changes));
	tcase_set_timeout(footer, 60);
	suite_add_tcase(suite, footer);
	tcase_add_test(index, test_entry);
	tcase_add_test(index, test_described);
	tcase_add_test(index, test_longest_entry);
	tcase_add_loop_test(index, test_entry_change, 0, LENGTH(entry_changes));
	tcase_add_test(index, test_segment);
	suite_add_tcase(suite, index);
	return helper_run(suite);
}
