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

int main(void)
{
	TCase *tcase = tcase_create("text");

	tcase_add_loop_test(tcase, test_printable, 0, 12);
	return helper_run_case("text", tcase);
}
