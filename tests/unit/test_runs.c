// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 5 and 11: run lists. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "record_sample.h"
#include "helper.h"

enum { START = SAMPLE_CELL };

/* --- reading ------------------------------------------------------------- */

/* A list of two runs, the first of ten granules, with the sums that the header then has. */
static const struct {
	const char *what;
	unsigned layer;
	uint32_t run;			/* the first one, as in the file */
	enum status want;
} lists[] = {
	{ "stored", 1, 0x0000000a, STATUS_OK },
	{ "stored, of a class", 1, 0x0800000a, STATUS_OK },
	{ "stored, of a class of a later version", 15, 0x0f00000a, STATUS_OK },
	{ "named", 1, 0x1800000a, STATUS_OK },
	{ "named, of a later version", 1, 0x1f00000a, STATUS_OK },
	{ "named, but of the kernel", 1, 0x1000000a, STATUS_DAMAGED },
	{ "named in layer 2", 2, 0x1800000a, STATUS_DAMAGED },
	{ "zeros", 1, 0x2000000a, STATUS_OK },
	{ "zeros, of a class", 1, 0x2800000a, STATUS_DAMAGED },
	{ "zeros in layer 2", 2, 0x2000000a, STATUS_DAMAGED },
	{ "unreadable", 1, 0x3000000a, STATUS_OK },
	{ "unreadable, of a class", 2, 0x3500000a, STATUS_OK },
	{ "elsewhere", 2, 0x4000000a, STATUS_OK },
	{ "elsewhere in layer 1", 1, 0x4000000a, STATUS_DAMAGED },
	{ "elsewhere, of a class", 2, 0x4800000a, STATUS_DAMAGED },
	{ "kind 5", 2, 0x5000000a, STATUS_DAMAGED },
	{ "kind 15", 1, 0xf000000a, STATUS_DAMAGED },
	{ "no granules", 1, 0x00000000, STATUS_DAMAGED },
	{ "too few", 1, 0x00000009, STATUS_DAMAGED },
	{ "too many", 1, 0x0000000b, STATUS_DAMAGED },
	{ "all, and none left for the second", 1, 0x0000000e, STATUS_DAMAGED },
	{ "far too many", 1, 0x00ffffff, STATUS_DAMAGED },
};

START_TEST(test_list)
{
	struct record record;
	struct run runs[2] = { { .granules = 10 }, { RUN_UNREADABLE, 0, 4 } };
	uint32_t raw_run = lists[_i].run;
	uint8_t *raw;

	runs[0].kind = (enum run_kind)(raw_run >> 28);
	runs[0].class_number = raw_run >> 24 & 15;
	if (runs[0].kind == RUN_UNREADABLE)
		runs[1].kind = RUN_STORED;	/* so that they are two */
	raw = sample_list(&record, runs, 2, lists[_i].layer, START);
	/* The sums stay those of ten granules. */
	put_le32(raw + RECORD_HEADER_LENGTH, raw_run);
	sample_seal(&record, raw);
	ck_assert_msg(run_list_check(&record, raw) == lists[_i].want, "%s: not status %d",
		      lists[_i].what, lists[_i].want);
	free(raw);
}
END_TEST

/* Each of the sums in the header is compared. */
START_TEST(test_sums)
{
	struct record record, changed;
	uint8_t *raw = sample_record(&record);

	ck_assert_int_eq(run_list_check(&record, raw), STATUS_OK);
	changed = record;
	changed.unreadable++;
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	changed = record;
	changed.stored_length--;
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	changed = record;
	changed.named |= 1 << CLASS_CLEAN;
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	changed = record;
	changed.named = 1 << CLASS_FREE;	/* without the zeros */
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	changed = record;
	changed.source_length += 4096;	/* the list does not cover the range */
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	changed = record;
	changed.source_length -= 100;	/* or covers more */
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	changed.stored_length -= 100;
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	free(raw);
}
END_TEST

/* A record without a list stores all of its range. */
START_TEST(test_no_list)
{
	static const struct run all = { RUN_STORED, CLASS_KERNEL, 5 };
	struct record record;
	uint8_t *raw = sample_list(&record, &all, 1, 1, START);
	struct run_cursor c = run_cursor_begin(&record, raw);
	struct run_place place;

	ck_assert_uint_eq(record.runs, 0);
	ck_assert_uint_eq(record.list_checksum, 0);
	ck_assert_uint_eq(record.stored_length, 5 * GRANULE);
	ck_assert_int_eq(run_list_check(&record, raw), STATUS_OK);
	ck_assert(run_cursor_next(&c, &place));
	ck_assert_int_eq(place.run.kind, RUN_STORED);
	ck_assert_uint_eq(place.run.class_number, CLASS_KERNEL);
	ck_assert_uint_eq(place.run.granules, 5);
	ck_assert_uint_eq(place.offset, START);
	ck_assert_uint_eq(place.length, 5 * GRANULE);
	ck_assert_uint_eq(place.stored_at, 0);
	ck_assert(!run_cursor_next(&c, &place));
	free(raw);
}
END_TEST

/* Lists of one run; that which would say nothing is damage. */
START_TEST(test_one_run)
{
	for (unsigned class_number = 0; class_number < CLASSES; class_number++) {
		const struct run run = { RUN_STORED, 1, 5 };
		struct record record;
		uint8_t *raw = sample_list(&record, &run, 1, 1, START);

		ck_assert_uint_eq(record.runs, 1);
		put_le32(raw + RECORD_HEADER_LENGTH, class_number << 24 | 5);
		sample_seal(&record, raw);
		ck_assert_int_eq(run_list_check(&record, raw), class_number ? STATUS_OK : STATUS_DAMAGED);
		free(raw);
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("runs");

	tcase_add_loop_test(tcase, test_list, 0, LENGTH(lists));
	tcase_add_test(tcase, test_sums);
	tcase_add_test(tcase, test_no_list);
	tcase_add_test(tcase, test_one_run);
	return helper_run_case("runs", tcase);
}
