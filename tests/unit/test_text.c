// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "helper.h"

START_TEST(test_printable)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "" },
		{ "plain ~ text", "plain ~ text" },
		{ "\x1b[31mred\x07", "?[31mred?" },
		{ "two\nlines\ttab\r\x7f", "two?lines?tab??" },
		/* An accent, euro, an emoji; the last control character and the first other one. */
		{ "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "\xc2\x80 \xc2\x9b \xc2\x9f \xc2\xa0", "?? ?? ?? \xc2\xa0" },
		{ "\x9b" "31m \xff", "?31m ?" },
		/* Truncated, overlong, a surrogate, above U+10FFFF. */
		{ "\xc3", "?" },
		{ "\xe2\x82", "??" },
		{ "\xf0\x9f\x98", "???" },
		{ "\xc0\x9b \xe0\x82\x9b", "?? ???" },
		{ "\xed\xa0\x80 \xf4\x90\x80\x80", "??? ????" },
	};
	char text[32];

	strcpy(text, cases[_i].text);
	ck_assert_ptr_eq(text_make_printable(text), text);
	ck_assert_str_eq(text, cases[_i].want);
}
END_TEST

START_TEST(test_lengths)
{
	ck_assert_uint_eq(text_utf8_length("\x1b"), 1);
	ck_assert_uint_eq(text_utf8_length("\xc2\x9b"), 2);
	ck_assert_uint_eq(text_utf8_length("\xe2\x82\xac"), 3);
	ck_assert_uint_eq(text_utf8_length("\xf0\x9f\x98\x80"), 4);
	ck_assert_uint_eq(text_utf8_length("\x9b"), 0);
	ck_assert_uint_eq(text_printable_length("\x1b"), 0);
	ck_assert_uint_eq(text_printable_length("\xc2\x9b"), 0);
	ck_assert_uint_eq(text_printable_length("\xe2\x82\xac"), 3);
	for (unsigned byte = 0; byte < 256; byte++)
		ck_assert_int_eq(text_byte_is_printable((uint8_t)byte), (byte >= ' ' && byte <= '~') ||
				 byte == '\t' || byte == '\n' || byte == '\v' || byte == '\f');
}
END_TEST

START_TEST(test_append)
{
	char text[8] = "ab";

	text_append(text, sizeof(text), "%s%d", ", ", 1);
	ck_assert_str_eq(text, "ab, 1");
	text_append(text, sizeof(text), "%d", 2345);
	ck_assert_str_eq(text, "ab, 123");
	text_append(text, sizeof(text), "x");
	ck_assert_str_eq(text, "ab, 123");
}
END_TEST

START_TEST(test_characters)
{
	const char *text = "a\xe2\x96\x88\x9b z";

	ck_assert_uint_eq(text_characters(""), 0);
	ck_assert_uint_eq(text_characters(text), 5);
	ck_assert_uint_eq(text_first(text, 0), 0);
	ck_assert_uint_eq(text_first(text, 2), 4);
	ck_assert_uint_eq(text_first(text, 3), 5);
	ck_assert_uint_eq(text_first(text, 9), 7);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("text");
	TCase *tcase = tcase_create("text");

	tcase_add_loop_test(tcase, test_printable, 0, 12);
	tcase_add_test(tcase, test_lengths);
	tcase_add_test(tcase, test_append);
	tcase_add_test(tcase, test_characters);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
