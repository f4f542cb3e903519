// SPDX-License-Identifier: GPL-2.0-or-later
/* What is missing in a set. */
#include "config.h"

#include <stdlib.h>

#include "export/set_absent.h"
#include "helper.h"
#include "set_maker.h"

enum { SIZE = 10 * MAKER_CHUNK - 777, BLOCK = MAKER_BLOCK, CHUNK = MAKER_CHUNK };

static void ignore(void *arg, const struct error *e)
{
	(void)arg;
	(void)e;
}

static void count_reported(void *arg, size_t location, const struct error *e)
{
	unsigned *reported = arg;

	(void)location;
	(void)e;
	++*reported;
}

/* Returns the number of records that were reported as damaged. */
static unsigned assert_missing(const char *pattern, const struct range *want, size_t count)
{
	unsigned reported = 0;
	const struct contents_watch watch = { .damaged = count_reported, .arg = &reported };
	const struct set_settings settings = { .salvage = true, .warn = ignore };
	struct names names = { 0 };
	struct set_absent absent;
	struct error e;
	struct set set;

	ck_assert_int_eq(names_expand(&names, pattern, 100, &e), STATUS_OK);
	ck_assert_msg(set_open(&set, &names, &settings, &e) == STATUS_OK, "%s", e.text);
	ck_assert_msg(set_absent_find(&absent, &set, &watch, &e) == STATUS_OK, "%s", e.text);
	ck_assert_uint_eq(absent.missing_count, count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(absent.missing[i].offset, want[i].offset);
		ck_assert_uint_eq(absent.missing[i].length, want[i].length);
	}
	set_absent_free(&absent);
	set_close(&set);
	names_free(&names);
	return reported;
}

START_TEST(test_holes)
{
	static const struct range third[] = {
		{ 2 * CHUNK, CHUNK }, { 5 * CHUNK, CHUNK }, { 8 * CHUNK, CHUNK },
	};
	static const struct range others[] = {
		{ 0, 2 * CHUNK }, { 3 * CHUNK, 2 * CHUNK }, { 6 * CHUNK, 2 * CHUNK },
		{ 9 * CHUNK, CHUNK - 777 },
	};
	uint8_t *source = maker_source(SIZE);

	maker_make_set(source, SIZE, 3, NULL);
	assert_missing("m{0..2}", NULL, 0);
	assert_missing("m{0..1}", third, LENGTH(third));
	assert_missing("m2", others, LENGTH(others));
	free(source);
}
END_TEST

/* Unreadable blocks of the second record, an adjacent hole, and the short block at the end. */
static void make_unreadable(const char *name, size_t damaged)
{
	uint8_t *source = maker_source(4 * CHUNK);
	struct maker m;
	size_t at;

	maker_init(&m, 0, 1, 4 * CHUNK - 10);
	maker_begin(&m);
	maker_add_record(&m, source, 0, CHUNK);
	at = maker_add_unreadable(&m, CHUNK, 2 * BLOCK);
	maker_add_record(&m, source, 3 * CHUNK, 3 * BLOCK);
	maker_add_unreadable(&m, 3 * CHUNK + 3 * BLOCK, BLOCK - 10);
	maker_add_footer(&m);
	if (damaged)
		maker_flip(&m, at + damaged);
	maker_write(&m, name);
	maker_free(&m);
	free(source);
}

START_TEST(test_unreadable)
{
	static const struct range want[] = {
		{ CHUNK, 2 * CHUNK }, { 3 * CHUNK + 3 * BLOCK, BLOCK - 10 },
	};

	make_unreadable("m", 0);
	ck_assert_uint_eq(assert_missing("m", want, LENGTH(want)), 0);
	/* Damages the run list of the record, so that it is unknown which granules were unreadable. */
	make_unreadable("m", RECORD_HEADER_LENGTH);
	ck_assert_uint_eq(assert_missing("m", want, LENGTH(want)), 1);
}
END_TEST

/* Blocks that are unreadable in one record are present in its duplicate. */
START_TEST(test_duplicate)
{
	uint8_t *source = maker_source(2 * CHUNK);

	for (int number = 0; number < 2; number++) {
		struct maker m;

		maker_init(&m, (uint32_t)number, 2, 2 * CHUNK);
		maker_begin(&m);
		maker_add_record(&m, source, 0, CHUNK);
		if (number)
			maker_add_record(&m, source, CHUNK, CHUNK);
		else
			maker_add_unreadable(&m, CHUNK, CHUNK);
		maker_add_footer(&m);
		maker_write(&m, number ? "s1" : "s0");
		maker_free(&m);
	}
	assert_missing("s0", &(struct range){ CHUNK, CHUNK }, 1);
	assert_missing("s{0..1}", NULL, 0);
	free(source);
}
END_TEST

/* The duplicate of a damaged record shows which blocks were unreadable. */
START_TEST(test_damaged_with_duplicate)
{
	static const struct range block = { CHUNK + 3 * BLOCK, BLOCK }, all = { CHUNK, CHUNK };
	uint8_t *source = maker_source(2 * CHUNK);

	for (uint32_t number = 0; number < 2; number++) {
		struct maker m;
		size_t at;

		maker_init(&m, number, 2, 2 * CHUNK);
		maker_begin(&m);
		maker_add_record(&m, source, 0, CHUNK);
		at = maker_add_partly(&m, source, CHUNK, CHUNK, 3 * BLOCK);
		maker_add_footer(&m);
		/* Of two equal copies, the one in the first member is used first. */
		if (number == 0)
			maker_flip(&m, at + RECORD_HEADER_LENGTH);
		maker_write(&m, number ? "d1" : "d0");
		maker_free(&m);
	}
	ck_assert_uint_eq(assert_missing("d0", &all, 1), 1);
	ck_assert_uint_eq(assert_missing("d{0..1}", &block, 1), 1);
	ck_assert_uint_eq(assert_missing("d1", &block, 1), 0);
	free(source);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("missing");
	TCase *tcase = tcase_create("missing");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_holes);
	tcase_add_test(tcase, test_unreadable);
	tcase_add_test(tcase, test_duplicate);
	tcase_add_test(tcase, test_damaged_with_duplicate);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
