// SPDX-License-Identifier: GPL-2.0-or-later
/* Classes of pages, dump levels, and the words for them. */
#include "config.h"

#include <stdio.h>

#include "core/kinds/page_class.h"
#include "helper.h"

enum {
	CACHE = PAGE_CLASS_BIT(PAGE_CLASS_CACHE), PRIVATE = PAGE_CLASS_BIT(PAGE_CLASS_PRIVATE),
	USER = PAGE_CLASS_BIT(PAGE_CLASS_USER), FREE = PAGE_CLASS_BIT(PAGE_CLASS_FREE),
};

/* Level 4 leaves out what 2 does, too; nothing is left out for 1. */
START_TEST(test_levels)
{
	for (unsigned level = 0; level <= DUMP_LEVEL_ALL; level++) {
		unsigned wanted = 0;

		if (level & 2 || level & 4)
			wanted |= CACHE;
		if (level & 4)
			wanted |= PRIVATE;
		if (level & 8)
			wanted |= USER;
		if (level & 16)
			wanted |= FREE;
		ck_assert_uint_eq(dump_level_classes(level), wanted);
	}
	ck_assert_uint_eq(dump_level_classes(32), 0);
	ck_assert_uint_eq(dump_level_of_classes(0), 0);
	ck_assert_uint_eq(dump_level_of_classes(CACHE), 2);
	ck_assert_uint_eq(dump_level_of_classes(PRIVATE), 4);
	ck_assert_uint_eq(dump_level_of_classes(USER | FREE), 24);
	ck_assert_uint_eq(dump_level_of_classes(CACHE | PRIVATE | USER | FREE), 30);
}
END_TEST

START_TEST(test_read)
{
	static const char *const wrong[] = {
		"32", "99999999999999999999999999999999", "-1", "+1", " 1", "1 ", "0x1f", "31,", "4294967296",
	};
	unsigned level;
	struct error e;

	for (unsigned i = 0; i <= DUMP_LEVEL_ALL; i++) {
		char text[8];

		snprintf(text, sizeof(text), "%u", i);
		ck_assert_int_eq(dump_level_read(text, &level, &e), STATUS_OK);
		ck_assert_uint_eq(level, i);
	}
	ck_assert_int_eq(dump_level_read("", &level, &e), STATUS_OK);
	ck_assert_uint_eq(level, 0);
	ck_assert_int_eq(dump_level_read("0031", &level, &e), STATUS_OK);
	ck_assert_uint_eq(level, 31);
	for (size_t i = 0; i < LENGTH(wrong); i++)
		ck_assert_msg(dump_level_read(wrong[i], &level, &e) == STATUS_USAGE, "'%s'", wrong[i]);
}
END_TEST

START_TEST(test_read_words)
{
	static const struct { const char *text; unsigned level; } right[] = {
		{ "zero", 1 }, { "cache", 2 }, { "private", 4 }, { "user", 8 }, { "free", 16 },
		{ "free,user,cache,private,zero", 31 }, { "free,free", 16 }, { "user,cache", 10 },
	};
	static const char *const wrong[] = {
		",", ",free", "free,,user", "Free", "fre", "freed,user", "user, free", "16",
	};
	unsigned level;
	struct error e;

	for (size_t i = 0; i < LENGTH(right); i++) {
		ck_assert_int_eq(dump_level_read_words(right[i].text, &level, &e), STATUS_OK);
		ck_assert_uint_eq(level, right[i].level);
	}
	for (size_t i = 0; i < LENGTH(wrong); i++)
		ck_assert_msg(dump_level_read_words(wrong[i], &level, &e) == STATUS_USAGE, "'%s'", wrong[i]);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("page_class");

	tcase_add_test(tcase, test_levels);
	tcase_add_test(tcase, test_read);
	tcase_add_test(tcase, test_read_words);
	return helper_run_case("page_class", tcase);
}
