// SPDX-License-Identifier: GPL-2.0-or-later
/* io/path.c: which names are the same file. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helper.h"
#include "io/path.h"

/* As in the programs: of an existing file, or else of a new one. */
static struct identity identify(const char *path)
{
	struct identity id;
	struct stat st;

	if (stat(path, &st) == 0)
		return identity_of(&st);
	ck_assert_msg(identity_of_new(&id, path), "%s has no identity", path);
	return id;
}

static const struct {
	const char *a, *b;
	bool equal;
} pairs[] = {
	{ "file", "file", true },
	{ "file", "./file", true },
	{ "file", "directory/../file", true },
	{ "file", "hard", true },
	{ "file", "soft", true },
	{ "file", "other", false },
	{ "directory", "shortcut", true },
	{ "directory/file", "shortcut/file", true },
	{ "file", "directory/file", false },
	{ "/dev/null", "/dev/null", true },
	{ "/dev/null", "null", true },
	{ "/dev/null", "/dev/zero", false },
	{ "fifo", "./fifo", true },
	/* Does not exist yet. */
	{ "new", "new", true },
	{ "new", "./new", true },
	{ "new", "directory/../new", true },
	{ "directory/new", "shortcut/new", true },
	{ "new", "directory/new", false },
	{ "new", "newer", false },
	{ "new", "file", false },
	{ "new", ".", false },
	{ "directory/new", "directory", false },
};

static void make_files(void)
{
	helper_write_file("file", "", 0);
	helper_write_file("other", "", 0);
	ck_assert_int_eq(link("file", "hard"), 0);
	ck_assert_int_eq(symlink("file", "soft"), 0);
	ck_assert_int_eq(mkdir("directory", 0700), 0);
	helper_write_file("directory/file", "", 0);
	ck_assert_int_eq(symlink("directory", "shortcut"), 0);
	ck_assert_int_eq(symlink("/dev/null", "null"), 0);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
}

START_TEST(test_pairs)
{
	struct identity a, b;

	make_files();
	a = identify(pairs[_i].a);
	b = identify(pairs[_i].b);
	ck_assert_int_eq(identity_equal(&a, &b), pairs[_i].equal);
	ck_assert_int_eq(identity_equal(&b, &a), pairs[_i].equal);
}
END_TEST

START_TEST(test_nowhere)
{
	struct identity id;

	errno = 0;
	ck_assert(!identity_of_new(&id, "nowhere/new"));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert(!identity_of_new(&id, "new/"));
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("identity");
	TCase *identity = tcase_create("identity");

	helper_use_directory(identity);
	tcase_add_loop_test(identity, test_pairs, 0, LENGTH(pairs));
	tcase_add_test(identity, test_nowhere);
	suite_add_tcase(suite, identity);
	return helper_run(suite);
}
