// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "helper.h"

/* The text written. */
static char *text;
static size_t length;

static FILE *open_text(struct json *json)
{
	FILE *file = open_memstream(&text, &length);

	ck_assert_ptr_nonnull(file);
	json_begin(json, file);
	return file;
}

static void expect_text(struct json *json, FILE *file, const char *want)
{
	json_end(json);
	ck_assert_int_eq(ferror(file), 0);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_str_eq(text, want);
	ck_assert_uint_eq(length, strlen(want));
	free(text);
}

START_TEST(test_nested)
{
	struct json json;
	FILE *file = open_text(&json);

	json_array(&json, "list");
	json_number(&json, NULL, 1);
	json_object(&json, NULL);
	json_close_object(&json);
	json_object(&json, NULL);
	json_bool(&json, "a", true);
	json_close_object(&json);
	json_array(&json, NULL);
	json_close_array(&json);
	json_close_array(&json);
	json_object(&json, "object");
	json_number(&json, "b", 2);
	json_close_object(&json);
	json_number(&json, "c", 3);
	expect_text(&json, file,
		    "{\n"
		    "  \"schema\": 1,\n"
		    "  \"list\": [\n"
		    "    1,\n"
		    "    {},\n"
		    "    {\n"
		    "      \"a\": true\n"
		    "    },\n"
		    "    []\n"
		    "  ],\n"
		    "  \"object\": {\n"
		    "    \"b\": 2\n"
		    "  },\n"
		    "  \"c\": 3\n"
		    "}\n");
}
END_TEST

static const struct {
	const char *value, *want;
} texts[] = {
	{ "", "" },
	{ "a b/c", "a b/c" },
	{ "\"\\", "\\\"\\\\" },
	{ "\b\t\n\x1f\x7f", "\\u0008\\u0009\\u000a\\u001f\\u007f" },
	{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
	/* The first and the last of each length. */
	{ "\xc2\xa0\xdf\xbf", "\xc2\xa0\xdf\xbf" },
	/* Control characters of two bytes. */
	{ "\xc2\x80\xc2\x9b" "3\xc2\x9f", "\\u0080\\u009b3\\u009f" },
	{ "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
	  "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf" },
	{ "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
	/* Not UTF-8: a lone continuation byte, truncated, overlong, a surrogate, too large. */
	{ "a\x80z", "a\\ufffdz" },
	{ "\xff\xfe", "\\ufffd\\ufffd" },
	{ "\xc3", "\\ufffd" },
	{ "\xe2\x82", "\\ufffd\\ufffd" },
	{ "\xf0\x9f\x98", "\\ufffd\\ufffd\\ufffd" },
	{ "\xc3q", "\\ufffdq" },
	{ "\xc0\x80\xc1\xbf", "\\ufffd\\ufffd\\ufffd\\ufffd" },
	{ "\xe0\x9f\xbf", "\\ufffd\\ufffd\\ufffd" },
	{ "\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd" },
	{ "\xf0\x8f\xbf\xbf", "\\ufffd\\ufffd\\ufffd\\ufffd" },
	{ "\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd" },
	{ "\xf5\x80\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd" },
};

START_TEST(test_text)
{
	struct json json;
	FILE *file = open_text(&json);
	char want[256];

	json_text(&json, "v", texts[_i].value);
	snprintf(want, sizeof(want), "{\n  \"schema\": 1,\n  \"v\": \"%s\"\n}\n", texts[_i].want);
	expect_text(&json, file, want);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("json");

	tcase_add_test(tcase, test_nested);
	tcase_add_loop_test(tcase, test_text, 0, LENGTH(texts));
	return helper_run_case("json", tcase);
}
