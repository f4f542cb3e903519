// SPDX-License-Identifier: GPL-2.0-or-later
/* Which commands the shell finds. */
#include "config.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/common/shell.h"
#include "helper.h"

static const struct {
	const char *word;
	bool found;
} cases[] = {
	{ "sh", true },
	{ "/bin/sh", true },
	/* The shell's own. */
	{ "cd", true },
	{ ":", true },
	/* In the directory of the test. */
	{ "mine", false },
	{ "./mine", true },
	{ "no-such-program", false },
	{ "/no/such/program", false },
	/* One word, and not a part of the question. */
	{ "sh sh", false },
	{ "$(echo sh)", false },
	{ "no; sh", false },
	{ "no\" || sh \"", false },
};

static void assert_found(const char *word, bool want)
{
	bool found;
	struct error e;

	ck_assert_int_eq(shell_finds("test", word, &found, &e), STATUS_OK);
	ck_assert_msg(found == want, "%s", word);
}

START_TEST(test_words)
{
	setenv("PATH", "/usr/bin:/bin", 1);
	helper_write_file("mine", "", 0);
	ck_assert_int_eq(chmod("mine", 0700), 0);
	assert_found(cases[_i].word, cases[_i].found);
}
END_TEST

/* The shell has a PATH of its own if the environment has none. */
START_TEST(test_path)
{
	unsetenv("PATH");
	assert_found("sh", true);
	setenv("PATH", "/no/such/directory", 1);
	assert_found("sh", false);
	assert_found("cd", true);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shell");
	TCase *tcase = tcase_create("commands");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_words, 0, LENGTH(cases));
	tcase_add_test(tcase, test_path);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
