// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, section 15: run lists. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "gathered_sample.h"
#include "helper.h"

enum { START = SAMPLE_CELL };

/* --- reading ------------------------------------------------------------- */

START_TEST(test_cursor)
{
	static const struct { uint64_t offset; uint32_t length, stored_at; } want[SAMPLE_RUNS] = {
		{ 0x5100000, 2 * 4096, 0 },
		{ 0x5102000, 10 * 4096, 2 * 4096 },
		{ 0x510c000, 3 * 4096, 2 * 4096 },
		{ 0x510f000, 4096, 2 * 4096 },
		{ 0x5110000, 100, 2 * 4096 },
	};
	struct record record;
	uint8_t *raw = sample_record(&record);
	struct run_cursor c = run_cursor_begin(&record, raw);
	struct run_place place;

	for (unsigned i = 0; i < SAMPLE_RUNS; i++) {
		ck_assert(run_cursor_next(&c, &place));
		ck_assert_int_eq(place.run.kind, sample_runs[i].kind);
		ck_assert_uint_eq(place.run.class_number, sample_runs[i].class_number);
		ck_assert_uint_eq(place.run.granules, sample_runs[i].granules);
		ck_assert_uint_eq(place.run.target, sample_runs[i].target);
		ck_assert_uint_eq(place.offset, want[i].offset);
		ck_assert_uint_eq(place.length, want[i].length);
		ck_assert_uint_eq(place.stored_at, want[i].stored_at);
	}
	ck_assert(!run_cursor_next(&c, &place));
	free(raw);
}
END_TEST

/* A list of two runs, the first of ten granules, with the sums that the header then has. */
static const struct {
	const char *what;
	unsigned layer;
	uint32_t run;			/* the first one, as in the file, */
	uint64_t target;		/* and its target */
	enum status want;
} lists[] = {
	{ "stored", 1, 0x0000000a, 0, STATUS_OK },
	{ "stored, of a class", 1, 0x0800000a, 0, STATUS_OK },
	{ "stored, of a class of a later version", 15, 0x0f00000a, 0, STATUS_OK },
	{ "named", 1, 0x1800000a, 0, STATUS_OK },
	{ "named, of a later version", 1, 0x1f00000a, 0, STATUS_OK },
	{ "named, but of the kernel", 1, 0x1000000a, 0, STATUS_DAMAGED },
	{ "named in layer 2", 2, 0x1800000a, 0, STATUS_DAMAGED },
	{ "alias before", 1, 0x2000000a, 0, STATUS_OK },
	{ "alias just before", 1, 0x2000000a, START - 10 * 4096, STATUS_OK },
	{ "alias of itself in part", 1, 0x2000000a, START - 9 * 4096, STATUS_DAMAGED },
	{ "alias of itself", 1, 0x2000000a, START, STATUS_DAMAGED },
	{ "alias of its last granule", 1, 0x2000000a, START + 9 * 4096, STATUS_DAMAGED },
	{ "alias just behind", 1, 0x2000000a, START + 10 * 4096, STATUS_OK },
	{ "alias not of whole granules", 1, 0x2000000a, 0x200, STATUS_DAMAGED },
	{ "alias at the limit", 1, 0x2000000a, 0x7ffffffffffff000 - 10 * 4096, STATUS_OK },
	{ "alias beyond the limit", 1, 0x2000000a, 0x7ffffffffffff000 - 9 * 4096, STATUS_DAMAGED },
	{ "alias far beyond it", 1, 0x2000000a, 0xfffffffffffff000, STATUS_DAMAGED },
	{ "alias in layer 2", 2, 0x2000000a, 0, STATUS_DAMAGED },
	{ "unreadable", 1, 0x3000000a, 0, STATUS_OK },
	{ "unreadable, of a class", 2, 0x3500000a, 0, STATUS_OK },
	{ "elsewhere", 2, 0x4000000a, 0, STATUS_OK },
	{ "elsewhere in layer 1", 1, 0x4000000a, 0, STATUS_DAMAGED },
	{ "elsewhere, of a class", 2, 0x4800000a, 0, STATUS_DAMAGED },
	{ "kind 5", 2, 0x5000000a, 0, STATUS_DAMAGED },
	{ "kind 15", 1, 0xf000000a, 0, STATUS_DAMAGED },
	{ "no granules", 1, 0x00000000, 0, STATUS_DAMAGED },
	{ "too few", 1, 0x00000009, 0, STATUS_DAMAGED },
	{ "too many", 1, 0x0000000b, 0, STATUS_DAMAGED },
	{ "all, and none left for the second", 1, 0x0000000e, 0, STATUS_DAMAGED },
	{ "far too many", 1, 0x00ffffff, 0, STATUS_DAMAGED },
};

START_TEST(test_list)
{
	struct record record;
	struct run runs[2] = { { .granules = 10 }, { RUN_UNREADABLE, 0, 4, 0 } };
	uint32_t raw_run = lists[_i].run;
	uint8_t *raw;

	runs[0].kind = (enum run_kind)(raw_run >> 28);
	runs[0].class_number = raw_run >> 24 & 15;
	if (runs[0].kind == RUN_UNREADABLE)
		runs[1].kind = RUN_STORED;	/* so that they are two */
	runs[0].target = lists[_i].target;
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
	changed.gathered.stored_length--;
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	changed = record;
	changed.gathered.named |= 1 << CLASS_CLEAN;
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	changed = record;
	changed.gathered.named = 0;
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	changed = record;
	changed.source_length += 4096;	/* the list does not cover the range */
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	changed = record;
	changed.source_length -= 100;	/* or covers more */
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	changed.gathered.stored_length -= 100;
	ck_assert_int_eq(run_list_check(&changed, raw), STATUS_DAMAGED);
	free(raw);
}
END_TEST

/* Other numbers of runs or aliases, with the checksum right for them. */
START_TEST(test_counts)
{
	static const struct { uint32_t runs, aliases; enum status want; } counts[] = {
		{ 5, 1, STATUS_OK },
		{ 5, 0, STATUS_DAMAGED },	/* the target of the alias run is not there */
		{ 5, 2, STATUS_DAMAGED },
		{ 4, 1, STATUS_DAMAGED },
		{ 6, 1, STATUS_DAMAGED },
	};

	for (size_t i = 0; i < LENGTH(counts); i++) {
		struct record record;
		uint8_t *raw = sample_record(&record);

		record.gathered.runs = counts[i].runs;
		record.gathered.aliases = counts[i].aliases;
		sample_seal(&record, raw);
		ck_assert_int_eq(run_list_check(&record, raw), counts[i].want);
		free(raw);
	}
}
END_TEST

/* Each granule a run of its own; and a cell of 64 MiB in one run. */
START_TEST(test_longest)
{
	enum { GRANULES = SAMPLE_CELL / GRANULE };
	struct run *runs = calloc(GRANULES, sizeof(*runs)), one = { RUN_NAMED, CLASS_FREE, 16384, 0 };
	struct record record, back;
	uint8_t *raw;

	ck_assert_ptr_nonnull(runs);
	for (unsigned i = 0; i < GRANULES; i++)
		runs[i] = (struct run){ i % 2 ? RUN_NAMED : RUN_UNREADABLE, 1 + i % 15, 1, 0 };
	raw = sample_list(&record, runs, GRANULES, 1, START);
	ck_assert_uint_eq(record.gathered.runs, GRANULES);
	ck_assert_uint_eq(record.unreadable, GRANULES / 2);
	ck_assert_int_eq(record_decode_with(&back, raw, SAMPLE_CHUNK, FEATURE_LAYERS), STATUS_OK);
	ck_assert_int_eq(run_list_check(&back, raw), STATUS_OK);
	free(raw);
	raw = sample_list(&record, &one, 1, 1, 0);
	record.gathered.cell_size = CELL_SIZE_MAX;
	record_encode(&record, raw);
	ck_assert_int_eq(record_decode_with(&back, raw, SAMPLE_CHUNK, FEATURE_LAYERS), STATUS_OK);
	ck_assert_int_eq(run_list_check(&back, raw), STATUS_OK);
	free(raw);
	free(runs);
}
END_TEST

/* --- making -------------------------------------------------------------- */

START_TEST(test_join)
{
	static const struct run added[] = {
		{ RUN_STORED, CLASS_KERNEL, 1, 0 },
		{ RUN_STORED, CLASS_KERNEL, 2, 0 },
		{ RUN_STORED, CLASS_MAP, 1, 0 },	/* another class */
		{ RUN_ALIAS, CLASS_MAP, 1, 0x5000 },
		{ RUN_ALIAS, CLASS_MAP, 2, 0x6000 },
		{ RUN_ALIAS, CLASS_MAP, 1, 0x9000 },	/* not the next granule */
		{ RUN_NAMED, CLASS_MAP, 1, 0 },
	};
	static const struct run want[] = {
		{ RUN_STORED, CLASS_KERNEL, 3, 0 },
		{ RUN_STORED, CLASS_MAP, 1, 0 },
		{ RUN_ALIAS, CLASS_MAP, 3, 0x5000 },
		{ RUN_ALIAS, CLASS_MAP, 1, 0x9000 },
		{ RUN_NAMED, CLASS_MAP, 1, 0 },
	};
	struct run space[LENGTH(want)];
	struct run_list list = { .runs = space, .capacity = LENGTH(want) };
	const struct run more = { RUN_UNREADABLE, 0, 1, 0 };

	for (size_t i = 0; i < LENGTH(added); i++)
		ck_assert(run_list_add(&list, &added[i]));
	ck_assert_uint_eq(list.count, LENGTH(want));
	ck_assert_uint_eq(list.aliases, 2);
	for (size_t i = 0; i < LENGTH(want); i++) {
		ck_assert_int_eq(space[i].kind, want[i].kind);
		ck_assert_uint_eq(space[i].class_number, want[i].class_number);
		ck_assert_uint_eq(space[i].granules, want[i].granules);
		ck_assert_uint_eq(space[i].target, want[i].target);
	}
	/* Full: only what continues the last run fits. */
	ck_assert(!run_list_add(&list, &more));
	ck_assert(run_list_add(&list, &added[6]));
	ck_assert_uint_eq(space[LENGTH(want) - 1].granules, 2);
}
END_TEST

START_TEST(test_aliases_limit)
{
	struct run space[RECORD_ALIASES_MAX + 1];
	struct run_list list = { .runs = space, .capacity = LENGTH(space) };
	struct run run = { RUN_ALIAS, CLASS_KERNEL, 1, 0 };

	for (unsigned i = 0; i < RECORD_ALIASES_MAX; i++) {
		run.target = (uint64_t)i * 2 * GRANULE;
		ck_assert(run_list_add(&list, &run));
	}
	run.target += 2 * GRANULE;
	ck_assert(!run_list_add(&list, &run));
	run.kind = RUN_STORED;
	run.target = 0;
	ck_assert(run_list_add(&list, &run));
}
END_TEST

/* Targets that the list of a record does not take are not in a list that is read, either. */
START_TEST(test_targets)
{
	static const struct { uint64_t target[2]; uint32_t granules; bool valid; } cases[] = {
		{ { 0x1000, 0x2000 }, 1, true },
		{ { 0x1000, 0x3000 }, 1, true },
		{ { 0x1000, 0x1000 }, 1, false },	/* the same again */
		{ { 0x3000, 0x1000 }, 1, false },	/* in front of the first one */
		{ { 0x1000, 0x3ffe000 }, 2, true },
		{ { 0x1000, 0x4000000 }, 1, true },
		{ { 0x1000, 0x4000000 }, 2, false },	/* 64 MiB behind its beginning */
		{ { 0x0, 0x7fffffffffff000 }, 1, false },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct run runs[] = {
			{ RUN_ALIAS, 0, 1, 0x1000 },
			{ RUN_STORED, 0, 1, 0 },
			{ RUN_ALIAS, 0, cases[i].granules, 0x2000 },
		};
		struct run space[2], first = runs[0], second = runs[2];
		struct run_list list = { .runs = space, .capacity = LENGTH(space) };
		struct record record;
		uint8_t *raw = sample_list(&record, runs, LENGTH(runs), 1, 2 * START), *targets;

		first.target = cases[i].target[0];
		second.target = cases[i].target[1];
		ck_assert(run_list_add(&list, &first));
		ck_assert_int_eq(run_list_add(&list, &second), cases[i].valid);
		targets = raw + RECORD_HEADER_LENGTH + RUN_LENGTH * record.gathered.runs;
		put_le64(targets, first.target);
		put_le64(targets + RUN_TARGET_LENGTH, second.target);
		sample_seal(&record, raw);
		ck_assert_int_eq(run_list_check(&record, raw),
				 cases[i].valid ? STATUS_OK : STATUS_DAMAGED);
		free(raw);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runs");
	TCase *tcase = tcase_create("runs");

	tcase_add_test(tcase, test_cursor);
	tcase_add_loop_test(tcase, test_list, 0, LENGTH(lists));
	tcase_add_test(tcase, test_sums);
	tcase_add_test(tcase, test_counts);
	tcase_add_test(tcase, test_longest);
	tcase_add_test(tcase, test_join);
	tcase_add_test(tcase, test_aliases_limit);
	tcase_add_test(tcase, test_targets);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
