// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as hexadecimal digits, and back. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "helper.h"

START_TEST(test_format)
{
	static const uint8_t bytes[] = { 0x00, 0x09, 0x0a, 0x7f, 0x80, 0xff };
	char text[2 * sizeof(bytes) + 1];

	hex_format(bytes, 0, text);
	ck_assert_str_eq(text, "");
	hex_format(bytes, 1, text);
	ck_assert_str_eq(text, "00");
	hex_format(bytes, sizeof(bytes), text);
	ck_assert_str_eq(text, "00090a7f80ff");
}
END_TEST

/* Every byte, in both cases. */
START_TEST(test_both_ways)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		uint8_t first = (uint8_t)byte, again[2];
		char text[5];

		hex_format(&first, 1, text);
		snprintf(text + 2, 3, "%02X", byte);
		ck_assert(hex_parse(text, again, 2));
		ck_assert_uint_eq(again[0], byte);
		ck_assert_uint_eq(again[1], byte);
	}
}
END_TEST

START_TEST(test_parse)
{
	static const struct {
		const char *text;
		size_t count;
		bool good;
	} cases[] = {
		{ "", 0, true },	{ "12", 0, true },	{ "12xy", 1, true },
		{ "", 1, false },	{ "1", 1, false },	{ "12", 2, false },	{ "123", 2, false },
		{ "1x", 1, false },	{ "x1", 1, false },	{ " 1", 1, false },	{ "+1", 1, false },
		{ "0x", 1, false },	{ "1/", 1, false },	{ "1:", 1, false },	{ "1@", 1, false },
		{ "1G", 1, false },	{ "1`", 1, false },	{ "1g", 1, false },	{ "\xb1\xb1", 1, false },
	};
	uint8_t bytes[2];

	for (size_t i = 0; i < LENGTH(cases); i++) {
		/* In memory of its own length, so that a sanitizer or valgrind notices a read past its end. */
		char *text = strdup(cases[i].text);

		ck_assert_ptr_nonnull(text);
		ck_assert_msg(hex_parse(text, bytes, cases[i].count) == cases[i].good, "'%s'", text);
		free(text);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hex");
	TCase *tcase = tcase_create("hex");

	tcase_add_test(tcase, test_format);
	tcase_add_test(tcase, test_both_ways);
	tcase_add_test(tcase, test_parse);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
