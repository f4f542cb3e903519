// SPDX-License-Identifier: GPL-2.0-or-later
/* Files below another root: names, links, numbers. */
#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helper.h"
#include "system/rooted.h"

static void make_tree(void)
{
	ck_assert_int_eq(mkdir("root", 0700), 0);
	ck_assert_int_eq(mkdir("root/a", 0700), 0);
	ck_assert_int_eq(mkdir("root/a/b", 0700), 0);
	helper_write_file("root/a/b/file", "12\nmore\n", 8);
	helper_write_file("outside", "no\n", 3);
}

static void expect(const char *name, const char *want)
{
	struct rooted found;

	ck_assert_msg(rooted_find("root", name, &found), "%s", name);
	ck_assert_str_eq(found.name, want);
	ck_assert_int_eq(access(found.path, F_OK), 0);
}

START_TEST(test_names)
{
	make_tree();
	expect("/a/b/file", "/a/b/file");
	expect("//a/./b//file", "/a/b/file");
	expect("/a/b/../b/file", "/a/b/file");
	expect("/", "");
	/* Above the root is the root. */
	expect("/../../a", "/a");
	ck_assert(!rooted_exists("root", "/absent"));
	ck_assert(!rooted_exists("root", "/../outside"));
	ck_assert(rooted_exists("", "/"));
}
END_TEST

START_TEST(test_links)
{
	make_tree();
	ck_assert_int_eq(symlink("/a/b", "root/absolute"), 0);
	ck_assert_int_eq(symlink("../a/b/file", "root/a/relative"), 0);
	ck_assert_int_eq(symlink("absolute/../relative", "root/both"), 0);
	ck_assert_int_eq(symlink("../outside", "root/out"), 0);
	ck_assert_int_eq(symlink("loop", "root/loop"), 0);
	expect("/absolute/file", "/a/b/file");
	expect("/a/relative", "/a/b/file");
	expect("/both", "/a/b/file");
	ck_assert(!rooted_exists("root", "/out"));
	ck_assert(!rooted_exists("root", "/loop"));
}
END_TEST

START_TEST(test_contents)
{
	uint64_t number;
	char line[8];

	make_tree();
	ck_assert(rooted_line("root", "/a/b/file", line, sizeof(line)));
	ck_assert_str_eq(line, "12");
	ck_assert(rooted_number("root", "/a/b/file", &number));
	ck_assert_uint_eq(number, 12);
	helper_write_file("root/empty", "\n", 1);
	ck_assert(!rooted_line("root", "/empty", line, sizeof(line)));
	ck_assert(!rooted_number("root", "/empty", &number));
	ck_assert(!rooted_line("root", "/absent", line, sizeof(line)));
}
END_TEST

/* A name that does not fit is not found, whatever it would lead to. */
START_TEST(test_long)
{
	char name[2 * PATH_MAX];

	make_tree();
	memset(name, '/', sizeof(name));
	memcpy(name + sizeof(name) - 2, "a", 2);
	ck_assert(!rooted_exists("root", name));
	memset(name, 'a', PATH_MAX);
	name[0] = '/';
	name[PATH_MAX - 1] = '\0';
	ck_assert(!rooted_exists("root", name));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rooted");
	TCase *tcase = tcase_create("files");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_names);
	tcase_add_test(tcase, test_links);
	tcase_add_test(tcase, test_contents);
	tcase_add_test(tcase, test_long);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
