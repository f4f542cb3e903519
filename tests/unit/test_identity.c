// SPDX-License-Identifier: GPL-2.0-or-later
/* io/identity.c and io/path.c */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helper.h"
#include "io/identity.h"
#include "io/path.h"

/* --- path.c -------------------------------------------------------------- */

static const struct {
	const char *path, *directory, *base;
} paths[] = {
	{ "a", ".", "a" },
	{ "/a", "/", "a" },
	{ "b/a", "b", "a" },
	{ "./a", ".", "a" },
	{ "/b/c/a", "/b/c", "a" },
	{ "b/", "b", "" },
	{ "/", "/", "" },
	{ "", ".", "" },
};

START_TEST(test_path)
{
	char directory[PATH_MAX];

	ck_assert(path_directory(paths[_i].path, directory));
	ck_assert_str_eq(directory, paths[_i].directory);
	ck_assert_str_eq(path_base(paths[_i].path), paths[_i].base);
}
END_TEST

START_TEST(test_path_too_long)
{
	char path[PATH_MAX + 8], directory[PATH_MAX];

	memset(path, 'd', sizeof(path));
	memcpy(path + PATH_MAX - 1, "/a", 3);
	ck_assert(path_directory(path, directory));
	ck_assert_uint_eq(strlen(directory), PATH_MAX - 1);
	memcpy(path + PATH_MAX - 1, "d/a", 4);
	errno = 0;
	ck_assert(!path_directory(path, directory));
	ck_assert_int_eq(errno, ENAMETOOLONG);
}
END_TEST

START_TEST(test_sync_directory)
{
	struct error e;

	ck_assert_int_eq(path_sync_directory("a", &e), STATUS_OK);
	ck_assert_int_eq(path_sync_directory("nowhere/a", &e), STATUS_SYSTEM);
	ck_assert_int_eq(e.errnum, ENOENT);
	ck_assert_str_eq(e.text, "nowhere: No such file or directory");
}
END_TEST

static const struct {
	const char *path;
	int errnum;
	const char *text;
} creations[] = {
	{ "nowhere/a", ENOENT, "nowhere/a: the directory nowhere does not exist" },
	{ "/nowhere/at/all", ENOENT, "/nowhere/at/all: the directory /nowhere/at does not exist" },
	{ "nowhere/", ENOENT, "nowhere/: the directory nowhere does not exist" },
	{ "nowhere/a", EACCES, "nowhere/a: Permission denied" },
	/* The directory exists by now, or it was about something else. */
	{ "a", ENOENT, "a: No such file or directory" },
	{ "/a", ENOENT, "/a: No such file or directory" },
	{ "", ENOENT, ": No such file or directory" },
	{ "file/a", ENOENT, "file/a: No such file or directory" },
};

START_TEST(test_creation_error)
{
	struct error e;

	helper_write_file("file", "", 0);
	ck_assert_int_eq(path_creation_error(&e, creations[_i].errnum, creations[_i].path),
			 STATUS_SYSTEM);
	ck_assert_int_eq(e.errnum, creations[_i].errnum);
	ck_assert_str_eq(e.text, creations[_i].text);
}
END_TEST

/* --- identity.c ---------------------------------------------------------- */

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
	TCase *path = tcase_create("path"), *identity = tcase_create("identity");

	helper_use_directory(path);
	tcase_add_loop_test(path, test_path, 0, LENGTH(paths));
	tcase_add_test(path, test_path_too_long);
	tcase_add_test(path, test_sync_directory);
	tcase_add_loop_test(path, test_creation_error, 0, LENGTH(creations));
	suite_add_tcase(suite, path);
	helper_use_directory(identity);
	tcase_add_loop_test(identity, test_pairs, 0, LENGTH(pairs));
	tcase_add_test(identity, test_nowhere);
	suite_add_tcase(suite, identity);
	return helper_run(suite);
}
