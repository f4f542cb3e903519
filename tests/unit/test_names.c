// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/names.h"
#include "helper.h"

enum { WANT_MAX = 8 };

static const struct {
	const char *pattern;
	const char *want[WANT_MAX];	/* ended by NULL */
} patterns[] = {
	{ "a", { "a" } },
	{ "", { "" } },
	{ "d{0..3}/a", { "d0/a", "d1/a", "d2/a", "d3/a" } },
	{ "d<0..3>/a", { "d0/a", "d1/a", "d2/a", "d3/a" } },
	{ "{3..1}", { "3", "2", "1" } },
	{ "{00..03}", { "00", "01", "02", "03" } },
	{ "{8..010}", { "008", "009", "010" } },
	{ "{08..10}x", { "08x", "09x", "10x" } },
	{ "{5..5}", { "5" } },
	{ "{0..0}", { "0" } },
	{ "{0..1}{0..1}", { "00", "01", "10", "11" } },
	{ "a{1..2}b<2..1>c", { "a1b2c", "a1b1c", "a2b2c", "a2b1c" } },
	{ "{x}{1..2}", { "{x}1", "{x}2" } },
	{ "{{1..2}}", { "{1}", "{2}" } },
	{ "{a..c}", { "{a..c}" } },
	{ "{1..c}", { "{1..c}" } },
	{ "{1,2}", { "{1,2}" } },
	{ "{1.2}", { "{1.2}" } },
	{ "{1..2", { "{1..2" } },
	{ "{1..2>", { "{1..2>" } },
	{ "<1..2}", { "<1..2}" } },
	{ "{-1..2}", { "{-1..2}" } },
	{ "{ 1..2}", { "{ 1..2}" } },
	{ "{1...2}", { "{1...2}" } },
	{ "{1..2..3}", { "{1..2..3}" } },
	{ "{}", { "{}" } },
	{ "{..}", { "{..}" } },
	{ "%s{1..2}%d", { "%s1%d", "%s2%d" } },
	{ "{0000000001..2}", { "{0000000001..2}" } },	/* ten digits are too many */
	{ "{999999999..999999998}", { "999999999", "999999998" } },
};

START_TEST(test_expand)
{
	struct names list = { 0 };
	struct error e;
	size_t count = 0;

	ck_assert_int_eq(names_expand(&list, patterns[_i].pattern, WANT_MAX, &e), STATUS_OK);
	while (patterns[_i].want[count])
		count++;
	ck_assert_uint_eq(list.count, count);
	for (size_t i = 0; i < count; i++)
		ck_assert_str_eq(list.names[i], patterns[_i].want[i]);
	names_free(&list);
}
END_TEST

START_TEST(test_appends)
{
	struct names list = { 0 };
	struct error e;

	ck_assert_int_eq(names_expand(&list, "z", 4, &e), STATUS_OK);
	ck_assert_int_eq(names_expand(&list, "{1..2}", 4, &e), STATUS_OK);
	ck_assert_int_eq(names_expand(&list, "a", 4, &e), STATUS_OK);
	ck_assert_uint_eq(list.count, 4);
	ck_assert_str_eq(list.names[0], "z");
	ck_assert_str_eq(list.names[1], "1");
	ck_assert_str_eq(list.names[2], "2");
	ck_assert_str_eq(list.names[3], "a");
	ck_assert_int_eq(names_expand(&list, "b", 4, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "too many names; at most 4");
	ck_assert_uint_eq(list.count, 4);
	names_free(&list);
	ck_assert_uint_eq(list.count, 0);
	ck_assert_ptr_null(list.names);
}
END_TEST

/* A billion names are refused at once and without allocating memory for them. */
START_TEST(test_limit)
{
	static const char *const large[] = { "{0..254}", "{0..999999999}",
					     "{0..999999999}{0..999999999}", "{300..1}" };
	struct names list = { 0 };
	struct error e;

	ck_assert_int_eq(names_expand(&list, large[_i], 254, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "too many names; at most 254");
	ck_assert_uint_le(list.count, 254);
	names_free(&list);
}
END_TEST

START_TEST(test_just_within_limit)
{
	struct names list = { 0 };
	struct error e;

	ck_assert_int_eq(names_expand(&list, "{1..254}", 254, &e), STATUS_OK);
	ck_assert_uint_eq(list.count, 254);
	ck_assert_str_eq(list.names[253], "254");
	names_free(&list);
}
END_TEST

START_TEST(test_remove)
{
	static const char *const left[] = { "234", "134", "124", "123" };
	struct names list = { 0 };
	struct error e;

	ck_assert_int_eq(names_expand(&list, "{1..4}", 4, &e), STATUS_OK);
	names_remove(&list, (size_t)_i);
	ck_assert_uint_eq(list.count, 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(list.names[i][0], left[_i][i]);
	/* Afterwards another name fits, and removing the last one leaves an empty list. */
	ck_assert_int_eq(names_append(&list, "z", 4, &e), STATUS_OK);
	ck_assert_str_eq(list.names[3], "z");
	while (list.count)
		names_remove(&list, 0);
	names_free(&list);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("names");
	TCase *tcase = tcase_create("names");

	tcase_add_loop_test(tcase, test_expand, 0, LENGTH(patterns));
	tcase_add_test(tcase, test_appends);
	tcase_add_loop_test(tcase, test_limit, 0, 4);
	tcase_add_test(tcase, test_just_within_limit);
	tcase_add_loop_test(tcase, test_remove, 0, 4);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
