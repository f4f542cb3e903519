// SPDX-License-Identifier: GPL-2.0-or-later
/* The dump level in options of makedumpfile.  tests/cli/kdump-debian.sh has the same cases for the script. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "helper.h"
#include "system/kdump_system.h"

/* Of a list, the last level; 0: nothing is left out. */
static const struct {
	const char *options;
	unsigned long level;
} cases[] = {
	{ "-c -d 17", 17 },
	{ "-F -cd 17,31 --message-level 7", 31 },
	{ "-d1", 1 },
	{ "-ld017", 17 },
	{ "-cd 31", 31 },
	{ "-cd31", 31 },
	{ "-cd17,31", 31 },
	{ "-c  -d  31", 31 },
	{ "-d 31 -ld 17", 17 },
	{ "-cx vmlinux-d5 -d 17", 17 },
	{ "-xvmlinux-d5", 0 },
	{ "-x -d31", 0 },
	{ "-cL 2G -d 17", 17 },
	{ "-L -d17 -cd31", 31 },
	{ "-l --message-level 31", 0 },
	{ "--num-threads 4 -d 17", 17 },
	{ "--dump-dmesg", 0 },
	{ "-c -d 0", 0 },
	{ "-c -d 32", 32 },	/* The check refuses it. */
	{ "-c -d", 0 },
	{ "-c", 0 },
};

/* As the check reads the text: the last number of the list. */
static unsigned long last_of(const char *text)
{
	size_t length = strcspn(text, " \t");

	while (length && text[length - 1] != ',')
		length--;
	return strtoul(text + length, NULL, 10);
}

START_TEST(test_case)
{
	const char *options = cases[_i].options, *text = kdump_level_in(options);
	unsigned long level = text ? last_of(text) : 0;

	ck_assert_msg(level == cases[_i].level, "'%s': %lu and not %lu", options, level, cases[_i].level);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kdump_level");
	TCase *tcase = tcase_create("options");

	tcase_add_loop_test(tcase, test_case, 0, LENGTH(cases));
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
