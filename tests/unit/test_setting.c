// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of shell files and of kdump.conf. */
#include "config.h"

#include <string.h>

#include "helper.h"
#include "system/setting.h"

/* The value of KEY; NULL: there is none. */
static const struct {
	const char *text, *value;
} shell[] = {
	{ "KEY=a\n", "a" },
	{ "KEY=a", "a" },
	{ "  export KEY=a # comment\n", "a" },
	{ "KEY=\"a b\"; X=1\n", "a b" },
	{ "KEY='a \"b\"'\n", "a \"b\"" },
	{ "KEY=\"a \\\"b\\\"\"\n", "a \"b\"" },
	{ "KEY=a'b c'd\n", "ab cd" },
	{ "KEY=a\nKEY=b\n", "b" },
	{ "KEY=\n", "" },
	{ "KEY=\"$HOME\"\n", "$HOME" },
	{ "#KEY=a\n", NULL },
	{ "KEYS=a\nXKEY=b\n", NULL },
	{ "KEY\n", NULL },
	{ "", NULL },
}, kdump[] = {
	{ "KEY a b\n", "a b" },
	{ "\tKEY\ta b  # comment\n", "a b" },
	{ "KEY \"a b\"\n", "a b" },
	{ "KEY a\nKEY b\n", "b" },
	{ "KEY\n", NULL },
	{ "# KEY a\nKEYS a\n", NULL },
	{ "KEY=a\n", NULL },
};

static void compare(bool found, const char *got, const char *want)
{
	ck_assert(found == (want != NULL));
	if (want)
		ck_assert_str_eq(got, want);
}

START_TEST(test_shell)
{
	char value[SETTING_LENGTH];

	helper_write_file("file", shell[_i].text, strlen(shell[_i].text));
	compare(setting_of_shell(".", "/file", "KEY", value), value, shell[_i].value);
}
END_TEST

START_TEST(test_kdump)
{
	char value[SETTING_LENGTH];

	helper_write_file("file", kdump[_i].text, strlen(kdump[_i].text));
	compare(setting_of_kdump(".", "/file", "KEY", value), value, kdump[_i].value);
}
END_TEST

/* A value that is too long is ignored. */
START_TEST(test_long)
{
	char text[2 * SETTING_LENGTH], value[SETTING_LENGTH];

	memset(text, 'a', sizeof(text));
	memcpy(text, "KEY=", 4);
	helper_write_file("file", text, SETTING_LENGTH + 3);
	ck_assert(setting_of_shell(".", "/file", "KEY", value));
	helper_write_file("file", text, SETTING_LENGTH + 4);
	ck_assert(!setting_of_shell(".", "/file", "KEY", value));
	/* It changes nothing of the one before. */
	text[4] = '1';
	text[5] = '\n';
	memcpy(text + 6, "KEY=", 4);
	helper_write_file("file", text, sizeof(text));
	ck_assert(setting_of_shell(".", "/file", "KEY", value));
	ck_assert_str_eq(value, "1");
	memset(text, 'a', sizeof(text));
	memcpy(text, "KEY ", 4);
	helper_write_file("file", text, SETTING_LENGTH + 3);
	ck_assert(setting_of_kdump(".", "/file", "KEY", value));
	helper_write_file("file", text, SETTING_LENGTH + 4);
	ck_assert(!setting_of_kdump(".", "/file", "KEY", value));
	ck_assert(!setting_of_kdump(".", "/absent", "KEY", value));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("setting");
	TCase *tcase = tcase_create("files");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_shell, 0, LENGTH(shell));
	tcase_add_loop_test(tcase, test_kdump, 0, LENGTH(kdump));
	tcase_add_test(tcase, test_long);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
