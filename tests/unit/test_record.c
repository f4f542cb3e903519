// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 3, 5 and 11. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/runs.h"
#include "format/record.h"
#include "helper.h"
#include "piece_check.h"
#include "record_sample.h"

static enum status decode(const uint8_t *raw)
{
	struct record record;

	return record_decode(&record, raw, SAMPLE_CHUNK);
}

static const struct piece_format piece = { decode, 120 };

typedef uint8_t *sample_maker(struct record *record);

/* --- the header ---------------------------------------------------------- */

/* Of the record with a list. */
static const struct piece_change changes[] = {
	{ 104, 8, 1, STATUS_UNSUPPORTED },
	{ 104, 8, UINT64_C(1) << 63, STATUS_UNSUPPORTED },
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
	{ 44, 4, 159, STATUS_DAMAGED },
	{ 44, 4, 4096, STATUS_OK },
	{ 44, 4, 4097, STATUS_DAMAGED },
	{ 48, 4, 2 * 4096 + 100, STATUS_OK },
	{ 48, 4, 2 * 4096 + 101, STATUS_DAMAGED },
	{ 52, 4, 17, STATUS_OK },
	{ 52, 4, 18, STATUS_DAMAGED },
	/* Runs, and a reserved field. */
	{ 60, 4, 0, STATUS_DAMAGED },
	{ 60, 4, 4, STATUS_OK },
	{ 60, 4, 6, STATUS_DAMAGED },		/* payload_offset is too small for six */
	{ 60, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 60, 4, 0x40000005, STATUS_DAMAGED },
	{ 64, 4, UINT32_MAX, STATUS_OK },
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
	{ 72, 4, 0x00010001, STATUS_OK },	/* zeros */
	{ 72, 4, 0x00010002, STATUS_DAMAGED },	/* and has no zeros */
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

/* Of the record without one: all of its range is stored. */
static const struct piece_change plain_changes[] = {
	{ 24, 8, 0, STATUS_OK },
	{ 24, 8, 512, STATUS_DAMAGED },
	{ 24, 8, 4095, STATUS_DAMAGED },
	{ 24, 8, 0x0123456789afb000, STATUS_OK },
	{ 24, 8, 0x0123456789afc000, STATUS_DAMAGED },	/* ends in the next cell */
	{ 24, 8, 0x7fffffffffffb000, STATUS_OK },	/* ends just below 2^63 */
	{ 24, 8, 0x7fffffffffffc000, STATUS_DAMAGED },
	{ 24, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 24, 8, 0xfffffffffffff000, STATUS_DAMAGED },
	{ 32, 4, 4 * 4096 + 99, STATUS_DAMAGED },
	{ 32, 4, 4 * 4096 + 101, STATUS_DAMAGED },
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
	{ 52, 4, 1, STATUS_DAMAGED },
	{ 56, 8, UINT32_MAX, STATUS_OK },		/* the tag */
	{ 60, 4, 1, STATUS_DAMAGED },		/* payload_offset is too small for one */
	{ 68, 4, 0, STATUS_DAMAGED },
	{ 68, 4, 4 * 4096 + 99, STATUS_DAMAGED },
	{ 72, 4, 0, STATUS_DAMAGED },
	{ 72, 4, 2, STATUS_OK },
	{ 72, 4, 0x00010001, STATUS_DAMAGED },
	{ 72, 4, 0x01000001, STATUS_DAMAGED },
	{ 92, 4, 0x8000, STATUS_OK },
	{ 92, 4, 0x4000, STATUS_DAMAGED },
	{ 92, 4, 0x200000, STATUS_OK },
	{ 96, 8, 1, STATUS_DAMAGED },
};

static void check_change(sample_maker *make, const struct piece_change *change)
{
	struct record record;
	uint8_t *raw = make(&record);

	piece_check_change(&piece, raw, change, true, change->want);
	piece_check_change(&piece, raw, change, false, STATUS_DAMAGED);
	free(raw);
}

START_TEST(test_change)
{
	check_change(sample_record, &changes[_i]);
}
END_TEST

START_TEST(test_change_plain)
{
	check_change(sample_plain, &plain_changes[_i]);
}
END_TEST

/* --- the body ------------------------------------------------------------ */

/*
 * Entries with the checksum right for them.  Block 2 is the packed one; where its length
 * changes, payload says what the lengths then add up to, so that nothing else is wrong.
 */
static const struct {
	uint32_t block, entry, payload;
	enum status want;
} entries[] = {
	{ 0, 0x00000000, 1108, STATUS_OK },
	{ 0, 0x00000001, 1109, STATUS_DAMAGED },	/* zero that takes space */
	{ 1, 0x10000000, 1100, STATUS_DAMAGED },	/* same of no bytes, 7, 9 */
	{ 1, 0x10000007, 1107, STATUS_DAMAGED },
	{ 1, 0x10000009, 1109, STATUS_DAMAGED },
	{ 1, 0x20001000, 5196, STATUS_OK },
	{ 1, 0x20000fff, 5195, STATUS_DAMAGED },	/* stored, but not all of it */
	{ 1, 0x20001001, 5197, STATUS_DAMAGED },
	{ 4, 0x20001000, 5104, STATUS_DAMAGED },	/* the last block is shorter */
	{ 4, 0x20000063, 1107, STATUS_DAMAGED },
	{ 2, 0x30000000, 108, STATUS_DAMAGED },		/* packed into nothing */
	{ 2, 0x30000001, 109, STATUS_OK },
	{ 2, 0x30000fff, 4203, STATUS_OK },
	{ 2, 0x30001000, 4204, STATUS_DAMAGED },	/* packed, and no smaller */
	{ 4, 0x30000064, 1108, STATUS_DAMAGED },
	{ 4, 0x30000063, 1107, STATUS_OK },
	{ 0, 0x40000000, 1108, STATUS_DAMAGED },	/* kinds that are none */
	{ 0, 0x60000000, 1108, STATUS_DAMAGED },
	{ 2, 0x500003e8, 1108, STATUS_DAMAGED },	/* columns of no width */
	{ 2, 0x502003e8, 1108, STATUS_OK },
	{ 2, 0x510003e8, 1108, STATUS_OK },
	{ 2, 0x5fe003e8, 1108, STATUS_OK },
	{ 2, 0x51000000, 108, STATUS_DAMAGED },
	{ 2, 0x51001000, 4204, STATUS_DAMAGED },
	{ 4, 0x51000064, 1108, STATUS_DAMAGED },
	{ 4, 0x51000063, 1107, STATUS_OK },
	{ 0, 0x80000000, 1108, STATUS_DAMAGED },
	{ 0, 0xf0000000, 1108, STATUS_DAMAGED },
	{ 2, 0x302003e8, 1108, STATUS_DAMAGED },	/* bits between kind and length */
	{ 2, 0x380003e8, 1108, STATUS_DAMAGED },
	{ 0, 0x01000000, 1108, STATUS_DAMAGED },
	{ 2, 0x300003e9, 1108, STATUS_DAMAGED },	/* more than the payload, and less */
	{ 2, 0x300003e7, 1108, STATUS_DAMAGED },
	{ 2, 0x3fffffff, 1108, STATUS_DAMAGED },
};

START_TEST(test_entry)
{
	struct record record;
	uint8_t *small = sample_plain(&record), *raw = helper_pages(2 * ALIGNMENT);

	memcpy(raw, small, ALIGNMENT);
	free(small);
	put_le32(raw + RECORD_HEADER_LENGTH + 4 * entries[_i].block, entries[_i].entry);
	record.payload_length = entries[_i].payload;
	sample_seal(&record, raw);
	ck_assert_int_eq(decode(raw), STATUS_OK);
	ck_assert_int_eq(record_check_body(&record, raw), entries[_i].want);
	free(raw);
}
END_TEST

/* The table behind a list. */
START_TEST(test_entry_behind_list)
{
	struct record record;
	uint8_t *raw = sample_record(&record);

	put_le32(raw + record_table_offset(&record) + 8, 0x30000063);
	record.payload_length--;
	sample_seal(&record, raw);
	ck_assert_int_eq(record_check_body(&record, raw), STATUS_OK);
	put_le32(raw + record_table_offset(&record) + 8, 0x20000063);	/* the block has 100 bytes */
	sample_seal(&record, raw);
	ck_assert_int_eq(record_check_body(&record, raw), STATUS_DAMAGED);
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
		runs[i] = i % 2 ? (struct run){ RUN_NAMED, CLASS_FREE, 31 } :
				  (struct run){ RUN_STORED, CLASS_KERNEL, 1 };
	raw = sample_list(&record, runs, LENGTH(runs), 1, 0);
	ck_assert_uint_eq(record.source_length, SAMPLE_CELL);
	ck_assert_uint_eq(record.stored_length, 8 * 16 * 4096);
	record.payload_length = packed;
	ck_assert_uint_le((record_length(&record) + INDEX_ENTRY_LENGTH - packed) * 20, packed);
	free(raw);
}
END_TEST

/* Units are added to a list, and the last one is taken back, as if it did not fit. */
START_TEST(test_cut_list)
{
	struct run space[64];
	struct run_list list = { .runs = space, .capacity = LENGTH(space) };

	ck_assert(run_list_add(&list, &(struct run){ RUN_ELSEWHERE, 0, 3 }));
	ck_assert(run_list_add(&list, &(struct run){ RUN_ELSEWHERE, CLASS_POISONED, 1 }));
	ck_assert(run_list_add(&list, &(struct run){ RUN_ELSEWHERE, 0, 4 }));
	ck_assert(run_list_add(&list, &(struct run){ RUN_STORED, CLASS_FREE, 2 }));
	ck_assert(run_list_add(&list, &(struct run){ RUN_STORED, CLASS_CLEAN, 5 }));
	ck_assert_uint_eq(list.count, 3);
	/* None of it is read by the way. */
	ck_assert_uint_eq(space[0].granules, 8);
	ck_assert_uint_eq(space[0].class_number, CLASS_POISONED);
	run_list_cut(&list, 15);
	ck_assert_uint_eq(list.count, 3);
	run_list_cut(&list, 10);
	ck_assert_uint_eq(list.count, 2);
	run_list_cut(&list, 9);
	ck_assert_uint_eq(space[1].granules, 1);
	run_list_cut(&list, 0);
	ck_assert_uint_eq(list.count, 0);
}
END_TEST

/* Numbers that change in ranges, as runs and one by one. */
START_TEST(test_value_runs)
{
	enum { MOST = 100 };
	struct value_run list[MOST];
	struct runs runs = { .list = list };
	struct runs_position p = { 0 };
	uint8_t all[MOST];
	uint32_t at = 0;

	srand((unsigned)_i);
	for (uint32_t n; at < MOST; at += n) {
		n = (uint32_t)rand() % (MOST - at) / 8 + (uint32_t)rand() % 2;
		n = (uint32_t)min_u64(n, MOST - at);
		memset(all + at, (int)n % 3, n);
		runs_add(&runs, n % 3, n);
	}
	for (at = 0; at < MOST; at += (uint32_t)rand() % 9) {
		uint32_t end = (uint32_t)min_u64(at + (uint32_t)rand() % 9, MOST);
		uint32_t run = runs_split(&runs, &p, at), last = runs_split(&runs, &p, end);

		for (; run < last; run++)
			list[run].value += 7;
		for (; at < end; at++)
			all[at] += 7;
	}
	for (uint32_t run = at = 0; run < runs.count; at += list[run++].count) {
		ck_assert(list[run].count);
		for (uint32_t n = at; n < at + list[run].count; n++)
			ck_assert_uint_eq(all[n], list[run].value);
	}
	ck_assert_uint_eq(at, MOST);
	for (at = 0; at < MOST; at++)
		for (size_t n = 1, same = bytes_repeated(all + at, MOST - at); n <= MOST - at; n++)
			ck_assert(n <= same ? all[at + n - 1] == all[at] : n > same + 1 || all[at + n - 1] != all[at]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("record");
	TCase *header = tcase_create("header"), *body = tcase_create("body");

	tcase_add_loop_test(header, test_change, 0, LENGTH(changes));
	tcase_add_loop_test(header, test_change_plain, 0, LENGTH(plain_changes));
	suite_add_tcase(suite, header);
	tcase_add_loop_test(body, test_entry, 0, LENGTH(entries));
	tcase_add_test(body, test_entry_behind_list);
	tcase_add_test(body, test_overhead);
	tcase_add_test(body, test_cut_list);
	tcase_add_loop_test(body, test_value_runs, 0, 50);
	tcase_set_timeout(body, 60);
	suite_add_tcase(suite, body);
	return helper_run(suite);
}
