// SPDX-License-Identifier: GPL-2.0-or-later
/* Outputs of njoin: files that get their name at the end, and streams. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "export/output_file.h"
#include "helper.h"
#include "io/existing.h"

static void probe(struct output_file *o, const char *name, bool force, bool sparse)
{
	struct error e;

	ck_assert_msg(output_file_probe(o, name, force ? PERMIT_OVERWRITE : 0, sparse, &e) == STATUS_OK, "%s", e.text);
}

static void open_output(struct output_file *o, const char *name, bool force, bool sparse)
{
	struct error e;

	probe(o, name, force, sparse);
	ck_assert_msg(output_file_open(o, &e) == STATUS_OK, "%s", e.text);
}

static void put(struct output_file *o, uint64_t offset, const uint8_t *data, uint64_t len)
{
	struct error e;

	ck_assert_msg(output_file_write(o, offset, data, len, &e) == STATUS_OK, "%s", e.text);
}

static void finish(struct output_file *o, uint64_t size)
{
	struct error e;

	ck_assert_msg(output_file_finish(o, size, &e) == STATUS_OK, "%s", e.text);
	output_file_free(o);
}

static void refuses(const char *name, bool force, enum status want, const char *text)
{
	struct output_file o;
	struct error e;

	ck_assert_int_eq(output_file_probe(&o, name, force ? PERMIT_OVERWRITE : 0, true, &e), want);
	ck_assert_str_eq(e.text, text);
	output_file_free(&o);
}

/* The number of names in the current directory. */
static unsigned files_here(void)
{
	DIR *here = opendir(".");
	unsigned count = 0;

	ck_assert_ptr_nonnull(here);
	for (const struct dirent *d; (d = readdir(here));)
		count += strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
	closedir(here);
	return count;
}

static void file_is(const char *name, const uint8_t *want, size_t len)
{
	size_t got_len;
	uint8_t *got = helper_read_file(name, &got_len);

	ck_assert_uint_eq(got_len, len);
	ck_assert_mem_eq(got, want, len);
	free(got);
}

/* --- files --------------------------------------------------------------- */

/* The target of a link is replaced, and the link is kept. */
START_TEST(test_link)
{
	struct output_file o;
	struct stat st;

	ck_assert_int_eq(mkdir("there", 0700), 0);
	helper_write_file("there/core", "old", 3);
	ck_assert_int_eq(symlink("there/core", "link"), 0);
	ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
	refuses("link", false, STATUS_USAGE, "link: already exists; use -f to overwrite");
	refuses("dangling", true, STATUS_USAGE, "dangling: is a dangling symbolic link");
	open_output(&o, "link", true, true);
	put(&o, 0, (const uint8_t *)"newer", 5);
	finish(&o, 5);
	ck_assert_int_eq(lstat("link", &st), 0);
	ck_assert(S_ISLNK(st.st_mode));
	file_is("there/core", (const uint8_t *)"newer", 5);
}
END_TEST

/* A file that someone else creates meanwhile is not replaced. */
START_TEST(test_overtaken)
{
	struct output_file o;
	struct error e;

	open_output(&o, "core", false, true);
	put(&o, 0, (const uint8_t *)"ours", 4);
	helper_write_file("core", "theirs", 6);
	ck_assert_int_eq(output_file_finish(&o, 4, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "core: File exists");
	output_file_free(&o);
	file_is("core", (const uint8_t *)"theirs", 6);
	ck_assert_uint_eq(files_here(), 1);
}
END_TEST

/* --- streams ------------------------------------------------------------- */

/* Standard output is a stream even if it is a file, as here. */
static void catch_stdout(void)
{
	int fd = open("caught", O_RDWR | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	close(fd);
}

START_TEST(test_stream_order)
{
	struct output_file o;

	catch_stdout();
	open_output(&o, "-", false, true);
	put(&o, 0, (const uint8_t *)"first", 5);
	put(&o, 5, (const uint8_t *)"second", 6);
	put(&o, 11, (const uint8_t *)"third", 5);
	finish(&o, 16);
	file_is("caught", (const uint8_t *)"firstsecondthird", 16);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("output");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_link);
	tcase_add_test(tcase, test_overtaken);
	tcase_add_test(tcase, test_stream_order);
	tcase_set_timeout(tcase, 60);
	return helper_run_case("output", tcase);
}
