// SPDX-License-Identifier: GPL-2.0-or-later
/* Sinks that are files.  Block devices are tested in tests/system, which needs root. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "io/sink.h"

enum { LEN = 5 * ALIGNMENT };

static void probe(struct sink *s, const char *name, unsigned permits, enum direct_mode direct)
{
	struct error e;

	ck_assert_msg(sink_probe(s, name, NULL, permits, direct, &e) == STATUS_OK, "%s", e.text);
}

/* Without direct I/O, writeback is started while the file is written, also after a rewind. */
START_TEST(test_sent)
{
	enum { PIECE = 1 << 20, PIECES = 80 };
	uint8_t *bytes = helper_noise(PIECE);
	struct sink s;
	struct error e;

	probe(&s, "new", 0, DIRECT_NEVER);
	ck_assert_int_eq(sink_open(&s, &e), STATUS_OK);
	for (int i = 0; i < PIECES; i++) {
		helper_append(&s, bytes, PIECE);
		ck_assert_uint_le(s.length - s.sent, 4 << 20);
	}
	ck_assert_uint_gt(s.sent, (PIECES - 4) * PIECE);
	sink_rewind(&s, 8 * PIECE);
	ck_assert_uint_eq(s.sent, 8 * PIECE);
	for (int i = 0; i < 5; i++)
		helper_append(&s, bytes, PIECE);
	ck_assert_uint_gt(s.sent, 8 * PIECE);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	helper_close_sink(&s);
	ck_assert_int_eq(helper_file_size("new"), 13 * PIECE);
	free(bytes);
}
END_TEST

/* Where direct I/O is unsupported, DIRECT_ALWAYS fails and DIRECT_AUTO does without. */
START_TEST(test_direct)
{
	struct sink s;
	struct error e;
	bool takes;

	helper_open_sink(&s, "auto", false);
	takes = s.direct;
	ck_assert_int_eq(!!(fcntl(s.fd, F_GETFL) & O_DIRECT), takes);
	helper_close_sink(&s);
	probe(&s, "always", 0, DIRECT_ALWAYS);
	if (takes) {
		ck_assert_int_eq(sink_open(&s, &e), STATUS_OK);
		ck_assert(s.direct);
		helper_close_sink(&s);
		return;
	}
	ck_assert_int_eq(sink_open(&s, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "always: direct I/O: Invalid argument");
	ck_assert_int_eq(helper_file_size("always"), -1);
	sink_free(&s);
}
END_TEST

/* sink_open() fails if the file is not the one that was probed. */
START_TEST(test_replaced)
{
	struct sink s;
	struct error e;

	probe(&s, "new", 0, DIRECT_AUTO);
	helper_write_file("new", "precious", 8);
	ck_assert_int_eq(sink_open(&s, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "new: File exists");
	sink_free(&s);
	helper_assert_file("new", (const uint8_t *)"precious", 8);

	probe(&s, "new", PERMIT_OVERWRITE, DIRECT_AUTO);
	helper_write_file("other", "valuable", 8);
	ck_assert_int_eq(rename("other", "new"), 0);
	ck_assert_int_eq(sink_open(&s, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "new: was replaced while it was being opened");
	sink_free(&s);
	helper_assert_file("new", (const uint8_t *)"valuable", 8);

	probe(&s, "next", 0, DIRECT_AUTO);
	ck_assert_int_eq(symlink("new", "next"), 0);
	ck_assert_int_eq(sink_open(&s, &e), STATUS_SYSTEM);
	sink_free(&s);
	helper_assert_file("new", (const uint8_t *)"valuable", 8);
}
END_TEST

/* What others may do to a file that is being written, by what sink_sync() says then. */
static void remove_it(void)
{
	ck_assert_int_eq(unlink("a"), 0);
}

static void replace_it(void)
{
	helper_write_file("b", "precious", 8);
	ck_assert_int_eq(rename("b", "a"), 0);
}

static void hide_it(void)
{
	ck_assert_int_eq(rename("a", ".nfs0001"), 0);
}

static void rename_it(void)
{
	ck_assert_int_eq(rename("a", "b"), 0);
}

static void link_it(void)
{
	ck_assert_int_eq(link("a", "b"), 0);
}

static void empty_it(void)
{
	ck_assert_int_eq(truncate("a", 0), 0);
}

static void cut_it(void)
{
	ck_assert_int_eq(truncate("a", ALIGNMENT + 1), 0);
}

static void write_it(void)
{
	int fd = open("a", O_WRONLY);

	ck_assert_int_eq(pwrite(fd, "other", 5, 0), 5);
	close(fd);
}

static const struct {
	void (*done)(void);
	const char *text;		/* NULL: it is intact */
	const char *later;		/* if more was appended after that */
	bool moved;
} changes[] = {
	{ .done = remove_it, .text = "a: was removed during the capture",
	  .later = "a: was removed during the capture" },
	{ .done = replace_it, .text = "a: was removed during the capture",
	  .later = "a: was removed during the capture" },
	{ .done = hide_it, .text = "a: was removed during the capture",
	  .later = "a: was removed during the capture" },
	{ .done = rename_it, .moved = true },
	{ .done = link_it },
	{ .done = empty_it, .text = "a: was truncated to 0 bytes during the capture",
	  .later = "a: was overwritten during the capture" },
	/* Not noticed if more was appended. */
	{ .done = cut_it, .text = "a: was truncated to 4097 bytes during the capture" },
	{ .done = write_it, .text = "a: was overwritten during the capture",
	  .later = "a: was overwritten during the capture" },
};

static void assert_looked(struct sink *s, const char *want, bool moved)
{
	struct error e;

	ck_assert_int_eq(sink_sync(s, &e), want ? STATUS_SYSTEM : STATUS_OK);
	if (want)
		ck_assert_str_eq(e.text, want);
	else
		ck_assert_int_eq(s->moved, moved);
}

START_TEST(test_changed)
{
	enum { PIECE = 16 * ALIGNMENT, PIECES = 5 };
	uint8_t *bytes = helper_noise(PIECE);
	struct sink s;
	struct error e;

	for (int later = 0; later < 2; later++) {
		helper_open_sink(&s, "a", false);
		for (int i = 0; i < PIECES; i++)
			helper_append(&s, bytes, PIECE);
		ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
		ck_assert(!s.moved);
		changes[_i].done();
		if (later)
			helper_append(&s, bytes, PIECE);
		assert_looked(&s, later ? changes[_i].later : changes[_i].text, changes[_i].moved);
		sink_discard(&s, &e);
		sink_free(&s);
		if (changes[_i].done == replace_it)
			helper_assert_file("a", (const uint8_t *)"precious", 8);
		else
			ck_assert_int_eq(helper_file_size("a"), -1);
		unlink("a");
		unlink("b");
		unlink(".nfs0001");
	}
	free(bytes);
}
END_TEST

/* Bytes that were appended are replaced, at any offset and of any length, and more follow. */
START_TEST(test_write_at)
{
	static const enum direct_mode modes[] = { DIRECT_AUTO, DIRECT_NEVER };
	static const struct { uint64_t offset; size_t len; } places[] = {
		{ SINK_HEAD, 1 }, { 424, 4 }, { 4090, 20 }, { 4096, 4096 }, { 3 * ALIGNMENT - 1, 2 }, { 5000, 7000 },
		{ LEN - 1, 1 },
	};
	uint8_t *bytes = helper_noise(LEN + ALIGNMENT), *other = helper_pages(LEN);
	bool direct;
	struct sink s;
	struct error e;

	probe(&s, "new", 0, modes[_i]);
	ck_assert(sink_writes_anywhere(&s));
	ck_assert_int_eq(sink_open(&s, &e), STATUS_OK);
	direct = s.direct;
	helper_append(&s, bytes, LEN);
	memset(other, 0x5a, LEN);
	for (size_t i = 0; i < LENGTH(places); i++) {
		/* Not aligned, either. */
		ck_assert_int_eq(sink_write_at(&s, other + 1, places[i].len, places[i].offset, &e), STATUS_OK);
		memset(bytes + places[i].offset, 0x5a, places[i].len);
		ck_assert_int_eq(s.direct, direct);
		ck_assert_uint_eq(s.length, LEN);
	}
	helper_append(&s, bytes + LEN, ALIGNMENT);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	helper_close_sink(&s);
	helper_assert_file("new", bytes, LEN + ALIGNMENT);
	free(bytes);
	free(other);
}
END_TEST

/* The area reads as zeros, also where a longer file was; what follows it is as elsewhere. */
START_TEST(test_zeros)
{
	enum { ZEROS = 40 * ALIGNMENT };
	static const enum direct_mode modes[] = { DIRECT_AUTO, DIRECT_NEVER };
	uint8_t *bytes = helper_noise(ALIGNMENT + ZEROS + LEN);
	struct sink s;
	struct error e;

	helper_write_file("new", bytes, ALIGNMENT + ZEROS + LEN);
	probe(&s, "new", PERMIT_OVERWRITE, modes[_i]);
	ck_assert_int_eq(sink_open(&s, &e), STATUS_OK);
	helper_append(&s, bytes, ALIGNMENT);
	ck_assert_int_eq(sink_append_zeros(&s, 0, &e), STATUS_OK);
	ck_assert_uint_eq(s.length, ALIGNMENT);
	ck_assert_int_eq(sink_append_zeros(&s, ZEROS, &e), STATUS_OK);
	ck_assert_uint_eq(s.length, ALIGNMENT + ZEROS);
	helper_append(&s, bytes + ALIGNMENT + ZEROS, LEN);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	/* A part of it is replaced. */
	ck_assert_int_eq(sink_write_at(&s, bytes + 3 * ALIGNMENT + 5, 100, 3 * ALIGNMENT + 5, &e), STATUS_OK);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	helper_close_sink(&s);
	memset(bytes + ALIGNMENT, 0, 2 * ALIGNMENT + 5);
	memset(bytes + 3 * ALIGNMENT + 105, 0, ZEROS - 2 * ALIGNMENT - 105);
	helper_assert_file("new", bytes, ALIGNMENT + ZEROS + LEN);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sink");
	TCase *files = tcase_create("files");

	helper_use_directory(files);
	tcase_set_timeout(files, 30);
	tcase_add_test(files, test_sent);
	tcase_add_test(files, test_direct);
	tcase_add_test(files, test_replaced);
	tcase_add_loop_test(files, test_changed, 0, LENGTH(changes));
	tcase_add_loop_test(files, test_write_at, 0, 2);
	tcase_add_loop_test(files, test_zeros, 0, 2);
	suite_add_tcase(suite, files);
	return helper_run(suite);
}
