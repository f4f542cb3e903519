// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of ranges, the arrays they are kept in and the binary search in them. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/range.h"
#include "base/search.h"
#include "helper.h"

static void add(struct range_list *list, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ck_assert(range_list_add(list, ranges[i].offset, ranges[i].length));
}

static void assert_ranges(const struct range_list *list, const struct range *want, size_t count)
{
	ck_assert_uint_eq(list->count, count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(list->ranges[i].offset, want[i].offset);
		ck_assert_uint_eq(list->ranges[i].length, want[i].length);
	}
}

/* Ranges that overlap, touch, repeat or contain each other become one; a gap of one byte stays. */
START_TEST(test_merge)
{
	static const struct range given[] = {
		{ 40, 10 }, { 0, 10 }, { 10, 5 }, { 12, 8 }, { 42, 2 }, { 21, 1 }, { 40, 10 },
		{ 60, 1 },
	};
	static const struct range sorted[] = { { 0, 10 }, { 10, 5 }, { 12, 8 }, { 21, 1 } };
	static const struct range want[] = { { 0, 20 }, { 21, 1 }, { 40, 10 }, { 60, 1 } };
	struct range_list list = { 0 };

	add(&list, given, LENGTH(given));
	range_list_sort(&list);
	for (size_t i = 0; i < LENGTH(sorted); i++)
		ck_assert_uint_eq(list.ranges[i].offset, sorted[i].offset);
	range_list_merge(&list);
	assert_ranges(&list, want, LENGTH(want));
	ck_assert_uint_eq(range_list_end(&list), 61);
	range_list_free(&list);
	ck_assert_uint_eq(list.count, 0);
}
END_TEST

START_TEST(test_empty)
{
	struct range_list list = { 0 };
	uint64_t offset = 5, length;

	range_list_sort(&list);
	range_list_merge(&list);
	ck_assert_uint_eq(range_list_end(&list), 0);
	ck_assert_uint_eq(ranges_find(list.ranges, list.count, 0), 0);
	ck_assert(range_list_gap(&list, &offset, 9, &length));
	ck_assert_uint_eq(offset, 5);
	ck_assert_uint_eq(length, 4);
	ck_assert(!range_list_gap(&list, &offset, 5, &length));
	range_list_free(&list);
}
END_TEST

START_TEST(test_find)
{
	static const struct range ranges[] = { { 10, 10 }, { 30, 5 }, { UINT64_MAX - 1, 1 } };

	ck_assert_uint_eq(ranges_find(ranges, 3, 0), 0);
	ck_assert_uint_eq(ranges_find(ranges, 3, 19), 0);
	ck_assert_uint_eq(ranges_find(ranges, 3, 20), 1);
	ck_assert_uint_eq(ranges_find(ranges, 3, 34), 1);
	ck_assert_uint_eq(ranges_find(ranges, 3, 35), 2);
	ck_assert_uint_eq(ranges_find(ranges, 3, UINT64_MAX), 3);
}
END_TEST

START_TEST(test_gaps)
{
	static const struct range given[] = { { 10, 10 }, { 30, 5 } };
	static const struct {
		uint64_t from, end, offset, length;	/* length 0: no gap */
	} cases[] = {
		{ 0, 40, 0, 10 }, { 3, 40, 3, 7 }, { 3, 5, 3, 2 }, { 10, 40, 20, 10 },
		{ 15, 25, 20, 5 }, { 15, 20, 0, 0 }, { 30, 40, 35, 5 }, { 30, 35, 0, 0 },
		{ 40, 50, 40, 10 }, { 40, 40, 0, 0 }, { 50, 40, 0, 0 },
	};
	struct range_list list = { 0 };
	uint64_t offset = cases[_i].from, length = 0;

	add(&list, given, LENGTH(given));
	ck_assert(range_list_gap(&list, &offset, cases[_i].end, &length) == !!cases[_i].length);
	ck_assert_uint_eq(length, cases[_i].length);
	ck_assert_uint_eq(offset, cases[_i].length ? cases[_i].offset : cases[_i].from);
	range_list_free(&list);
}
END_TEST

START_TEST(test_array)
{
	uint64_t *items = NULL;
	size_t count = 0;

	while (count < 5000) {
		ck_assert(array_grow(&items, count, sizeof(*items)));
		items[count] = count;
		count++;
		/* Every so often an item is removed, at a power of two as well. */
		if (count % 33 == 0) {
			count--;
			ck_assert(array_grow(&items, count, sizeof(*items)));
			items[count] = count;
			count++;
		}
	}
	for (size_t i = 0; i < count; i++)
		ck_assert_uint_eq(items[i], i);
	free(items);
}
END_TEST

START_TEST(test_array_emptied)
{
	char *items = NULL;

	for (int i = 0; i < 2; i++)
		for (size_t count = 0; count < 40; count++) {
			ck_assert(array_grow(&items, count, 1));
			items[count] = 1;
		}
	free(items);
}
END_TEST

/* The array is left as it was. */
START_TEST(test_array_too_large)
{
	char byte = 1, *items = &byte;
	const size_t half = SIZE_MAX / 2 + 1;

	ck_assert(!array_grow(&items, half, 1));
	ck_assert(!array_grow(&items, half / 2, 16));
	ck_assert_ptr_eq(items, &byte);
}
END_TEST

static bool is_below(const void *arg, size_t i)
{
	return i < *(const size_t *)arg;
}

START_TEST(test_search)
{
	for (size_t count = 0; count < 20; count++)
		for (size_t first = 0; first <= count; first++)
			ck_assert_uint_eq(search_first(count, is_below, &first), first);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ranges");
	TCase *tcase = tcase_create("ranges");

	tcase_add_test(tcase, test_merge);
	tcase_add_test(tcase, test_empty);
	tcase_add_test(tcase, test_find);
	tcase_add_loop_test(tcase, test_gaps, 0, 11);
	tcase_add_test(tcase, test_array);
	tcase_add_test(tcase, test_array_emptied);
	tcase_add_test(tcase, test_array_too_large);
	tcase_add_test(tcase, test_search);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
