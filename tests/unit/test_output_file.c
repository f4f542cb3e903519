// SPDX-License-Identifier: GPL-2.0-or-later
/* Outputs of njoin: files that get their name at the end, and streams. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "corpus.h"
#include "export/copy.h"
#include "helper.h"
#include "io/existing.h"

enum { SIZE = 300001 };

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

static void put_zeros(struct output_file *o, uint64_t offset, uint64_t len)
{
	struct error e;

	ck_assert_msg(output_file_write_zeros(o, offset, len, &e) == STATUS_OK, "%s", e.text);
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

static uint8_t *random_bytes_new(void)
{
	uint8_t *bytes = helper_pages(SIZE);

	corpus_fill(CORPUS_RANDOM, 1, bytes, SIZE);
	return bytes;
}

/* --- files --------------------------------------------------------------- */

START_TEST(test_name_at_the_end)
{
	uint8_t *bytes = random_bytes_new();
	struct output_file o;

	probe(&o, "core", false, true);
	ck_assert(output_file_seekable(&o));
	ck_assert_uint_eq(files_here(), 0);
	output_file_free(&o);
	open_output(&o, "core", false, true);
	ck_assert_int_eq(helper_file_size("core"), -1);
	put(&o, 100000, bytes + 100000, SIZE - 100000);
	put(&o, 0, bytes, 100000);
	ck_assert_int_eq(helper_file_size("core"), -1);
	finish(&o, SIZE);
	file_is("core", bytes, SIZE);
	ck_assert_int_eq(helper_file_mode("core"), 0600);
	ck_assert_uint_eq(files_here(), 1);
	free(bytes);
}
END_TEST

START_TEST(test_unfinished)
{
	struct output_file o;

	open_output(&o, "core", false, true);
	put(&o, 0, (const uint8_t *)"part", 4);
	ck_assert_uint_eq(files_here(), 1);
	output_file_free(&o);
	ck_assert_uint_eq(files_here(), 0);
}
END_TEST

START_TEST(test_existing)
{
	uint8_t *bytes = random_bytes_new();
	struct output_file o;

	helper_write_file("core", "precious", 8);
	refuses("core", false, STATUS_USAGE, "core: already exists; use -f to overwrite");
	/* The existing file is kept until the new one is complete. */
	open_output(&o, "core", true, true);
	put(&o, 0, bytes, 10);
	file_is("core", (const uint8_t *)"precious", 8);
	output_file_free(&o);
	file_is("core", (const uint8_t *)"precious", 8);
	ck_assert_uint_eq(files_here(), 1);
	open_output(&o, "core", true, true);
	put(&o, 0, bytes, SIZE);
	finish(&o, SIZE);
	file_is("core", bytes, SIZE);
	ck_assert_uint_eq(files_here(), 1);
	free(bytes);
}
END_TEST

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

START_TEST(test_refused)
{
	struct output_file o;
	struct error e;

	ck_assert_int_eq(mkdir("directory", 0700), 0);
	refuses("directory", true, STATUS_USAGE, "directory: is a directory; an output must be a file or a device");
	helper_write_file("file", "", 0);
	refuses("file/core", true, STATUS_SYSTEM, "file/core: Not a directory");
	probe(&o, "nowhere/core", false, true);
	ck_assert_int_eq(output_file_open(&o, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "nowhere/core: the directory nowhere does not exist");
	output_file_free(&o);
}
END_TEST

/* Blocks on disk, after they were allocated. */
static long blocks_of(const char *name)
{
	int fd = open(name, O_RDWR);
	struct stat st;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fsync(fd), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	close(fd);
	return (long)st.st_blocks;
}

/* Zeros are holes or are written; in both cases the contents and the size are correct. */
START_TEST(test_sparse)
{
	enum { LARGE = 4 << 20 };
	uint8_t *bytes = helper_pages(LARGE);

	corpus_fill(CORPUS_RANDOM, 1, bytes + (1 << 20), 4096);
	for (int sparse = 0; sparse < 2; sparse++) {
		const char *name = sparse ? "sparse" : "full";
		struct output_file o;

		open_output(&o, name, false, sparse);
		put_zeros(&o, 0, 1 << 20);
		put(&o, 1 << 20, bytes + (1 << 20), 4096);
		put_zeros(&o, (1 << 20) + 4096, LARGE - (1 << 20) - 4096);
		finish(&o, LARGE);
		file_is(name, bytes, LARGE);
	}
	/* Compared with a plain file, because some file systems compress. */
	helper_write_file("plain", bytes, LARGE);
	ck_assert_int_ge(blocks_of("full"), blocks_of("plain"));
	ck_assert_int_lt(blocks_of("sparse"), LARGE / 512 / 4);
	free(bytes);
}
END_TEST

START_TEST(test_empty)
{
	struct output_file o;

	open_output(&o, "core", false, true);
	finish(&o, 0);
	ck_assert_int_eq(helper_file_size("core"), 0);
}
END_TEST

/* A full disk, simulated by a limit on the size of files. */
START_TEST(test_no_room)
{
	struct rlimit limit = { 8192, 8192 };
	uint8_t *bytes = random_bytes_new();
	struct output_file o;
	struct error e;

	ck_assert_ptr_ne(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
	open_output(&o, "core", false, true);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(output_file_write(&o, 0, bytes, 10000, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "core: File too large");
	output_file_free(&o);
	ck_assert_uint_eq(files_here(), 0);
	/* If everything is zeros, the error appears at the end. */
	open_output(&o, "core", false, true);
	ck_assert_int_eq(output_file_finish(&o, 10000, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "core: File too large");
	output_file_free(&o);
	ck_assert_uint_eq(files_here(), 0);
	free(bytes);
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

/* Gaps are filled with zeros, also at the beginning and the end. */
START_TEST(test_stream)
{
	uint8_t *bytes = random_bytes_new();
	struct output_file o;

	memset(bytes, 0, 1000);
	memset(bytes + 2000, 0, 200000);
	memset(bytes + SIZE - 5, 0, 5);
	catch_stdout();
	open_output(&o, "-", false, true);
	ck_assert_str_eq(o.name, "standard output");
	ck_assert(!output_file_seekable(&o));
	put(&o, 1000, bytes + 1000, 1000);
	put_zeros(&o, 2000, 150000);
	put(&o, 202000, bytes + 202000, SIZE - 5 - 202000);
	finish(&o, SIZE);
	file_is("caught", bytes, SIZE);
	free(bytes);
}
END_TEST

START_TEST(test_stream_order)
{
	struct output_file o;
	struct error e;

	catch_stdout();
	open_output(&o, "-", false, true);
	put(&o, 0, (const uint8_t *)"first", 5);
	put(&o, 5, (const uint8_t *)"second", 6);
	ck_assert_int_eq(output_file_write(&o, 10, (const uint8_t *)"x", 1, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "standard output: records are not in order, and a stream cannot go "
				 "back to byte 10; write to a file with -o");
	ck_assert_int_eq(output_file_write_zeros(&o, 0, 1, &e), STATUS_USAGE);
	put(&o, 11, (const uint8_t *)"third", 5);
	finish(&o, 16);
	file_is("caught", (const uint8_t *)"firstsecondthird", 16);
}
END_TEST

/* A named pipe and a character device are streams that need no force. */
START_TEST(test_named_streams)
{
	uint8_t got[8] = { 0 };
	struct output_file o;
	int fd;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(fd, 0);
	open_output(&o, "pipe", false, true);
	ck_assert(!output_file_seekable(&o));
	put(&o, 2, (const uint8_t *)"abc", 3);
	finish(&o, 6);
	ck_assert_int_eq(read(fd, got, sizeof(got)), 6);
	ck_assert_mem_eq(got, "\0\0abc\0", 6);
	close(fd);
	open_output(&o, "/dev/null", false, true);
	ck_assert(!output_file_seekable(&o));
	put_zeros(&o, 0, 100);
	finish(&o, 200);
}
END_TEST

START_TEST(test_full_device)
{
	struct output_file o;
	struct error e;

	open_output(&o, "/dev/full", false, true);
	ck_assert_int_eq(output_file_write_zeros(&o, 0, 1, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "/dev/full: No space left on device");
	output_file_free(&o);
}
END_TEST

/* --- identity ------------------------------------------------------------- */

/* The identity of the existing file is known, so that a member is not overwritten. */
START_TEST(test_identity)
{
	struct identity want;
	struct output_file o;
	struct stat st;

	helper_write_file("member", "x", 1);
	ck_assert_int_eq(stat("member", &st), 0);
	want = identity_of(&st);
	ck_assert_int_eq(symlink("member", "link"), 0);
	probe(&o, "link", true, true);
	ck_assert(identity_equal(&o.identity, &want));
	output_file_free(&o);
	probe(&o, "new", true, true);
	ck_assert_int_eq(o.identity.type, 0);
	output_file_free(&o);
	ck_assert_int_eq(dup2(open("member", O_WRONLY), STDOUT_FILENO), STDOUT_FILENO);
	probe(&o, "-", false, true);
	ck_assert(identity_equal(&o.identity, &want));
	output_file_free(&o);
}
END_TEST

/* A range of the source begins at offset 0 of the output. */
START_TEST(test_copy)
{
	uint8_t *bytes = random_bytes_new();
	struct output_file output;
	struct copy copy = { .output = &output, .from = 1000 };
	struct delivery piece = { 1000, 500, bytes + 1000, EXTENT_STORED };
	struct error e;

	memset(bytes + 1500, 0, 500);
	open_output(&output, "part", false, true);
	ck_assert_int_eq(copy_deliver(&copy, &piece, &e), STATUS_OK);
	piece = (struct delivery){ 1500, 500, NULL, EXTENT_LEFT_OUT };
	ck_assert_int_eq(copy_deliver(&copy, &piece, &e), STATUS_OK);
	piece = (struct delivery){ 2000, 1, bytes + 2000, EXTENT_STORED };
	ck_assert_int_eq(copy_deliver(&copy, &piece, &e), STATUS_OK);
	finish(&output, 1001);
	file_is("part", bytes + 1000, 1001);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("output");
	TCase *tcase = tcase_create("output");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_name_at_the_end);
	tcase_add_test(tcase, test_unfinished);
	tcase_add_test(tcase, test_existing);
	tcase_add_test(tcase, test_link);
	tcase_add_test(tcase, test_overtaken);
	tcase_add_test(tcase, test_refused);
	tcase_add_test(tcase, test_sparse);
	tcase_add_test(tcase, test_empty);
	tcase_add_test(tcase, test_no_room);
	tcase_add_test(tcase, test_stream);
	tcase_add_test(tcase, test_stream_order);
	tcase_add_test(tcase, test_named_streams);
	tcase_add_test(tcase, test_full_device);
	tcase_add_test(tcase, test_identity);
	tcase_add_test(tcase, test_copy);
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
