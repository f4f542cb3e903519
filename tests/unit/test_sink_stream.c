// SPDX-License-Identifier: GPL-2.0-or-later
/* Outputs that are pipes, devices, standard output, and nothing. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unit.h"
#include "corpus.h"
#include "helper.h"
#include "io/sink.h"

enum { PIECES = 5, LEN = PIECES * UNIT };

static void open_sink(struct sink *s, const char *name)
{
	struct error e;

	ck_assert_msg(sink_probe(s, name, false, DIRECT_AUTO, &e) == STATUS_OK, "%s", e.text);
	ck_assert_msg(sink_open(s, &e) == STATUS_OK, "%s", e.text);
}

static void append(struct sink *s, const uint8_t *bytes, size_t len)
{
	struct error e;
	uint64_t before = s->length;

	ck_assert_msg(sink_append(s, bytes, len, &e) == STATUS_OK, "%s", e.text);
	ck_assert_uint_eq(s->length, before + len);
}

static void close_sink(struct sink *s)
{
	struct error e;

	ck_assert_int_eq(sink_close(s, &e), STATUS_OK);
	sink_free(s);
}

static uint8_t *sample(void)
{
	uint8_t *bytes = helper_pages(LEN);

	corpus_fill(CORPUS_RANDOM, 9, bytes, LEN);
	return bytes;
}

static void assert_file(const char *name, const uint8_t *bytes, size_t len)
{
	size_t got_len;
	uint8_t *got = helper_read_file(name, &got_len);

	ck_assert_uint_eq(got_len, len);
	ck_assert_int_eq(memcmp(got, bytes, len), 0);
	free(got);
}

START_TEST(test_fifo)
{
	uint8_t *bytes = sample(), *got = helper_pages(LEN);
	struct sink s;
	struct error e;
	int reader;

	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	reader = open("fifo", O_RDONLY | O_NONBLOCK);
	open_sink(&s, "fifo");
	ck_assert_int_eq(s.kind, SINK_STREAM);
	ck_assert(!s.created);
	append(&s, bytes, LEN);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	ck_assert_int_eq(sink_write_last(&s, bytes, UNIT, &e), STATUS_OK);
	ck_assert_int_eq(sink_rewind(&s, &e), STATUS_UNSUPPORTED);
	ck_assert_str_eq(e.text, "fifo: cannot be rewound");
	ck_assert_int_eq(read(reader, got, LEN), LEN);
	ck_assert_int_eq(memcmp(got, bytes, LEN), 0);
	close(reader);
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(sink_append(&s, bytes, UNIT, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "fifo: Broken pipe");
	ck_assert_uint_eq(s.length, LEN);
	sink_discard(&s);
	sink_free(&s);
	ck_assert_int_ge(helper_file_size("fifo"), 0);
	free(bytes);
	free(got);
}
END_TEST

START_TEST(test_standard_output)
{
	uint8_t *bytes = sample();
	struct sink s;
	struct error e;
	int fd = open("file", O_WRONLY | O_CREAT, 0644), saved = dup(STDOUT_FILENO);

	ck_assert_int_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	open_sink(&s, "-");
	ck_assert_str_eq(s.name, "standard output");
	ck_assert_int_eq(s.kind, SINK_STREAM);
	append(&s, bytes, LEN);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	sink_discard(&s);
	sink_free(&s);
	/* The descriptor is the program's, and its mode the shell's affair. */
	ck_assert_int_ge(fcntl(STDOUT_FILENO, F_GETFD), 0);
	dup2(saved, STDOUT_FILENO);
	ck_assert_int_eq(helper_file_mode("file"), 0644 & ~022);
	assert_file("file", bytes, LEN);
	close(fd);
	free(bytes);
}
END_TEST

START_TEST(test_devices)
{
	uint8_t *bytes = sample();
	struct sink s;
	struct error e;

	open_sink(&s, "/dev/null");
	ck_assert_int_eq(s.kind, SINK_STREAM);
	append(&s, bytes, LEN);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	close_sink(&s);
	if (access("/dev/full", W_OK) == 0) {
		open_sink(&s, "/dev/full");
		ck_assert_int_eq(sink_append(&s, bytes, UNIT, &e), STATUS_SYSTEM);
		ck_assert_int_eq(e.errnum, ENOSPC);
		ck_assert_str_eq(e.text, "/dev/full: No space left on device");
		ck_assert_uint_eq(s.length, 0);
		close_sink(&s);
	}
	free(bytes);
}
END_TEST

START_TEST(test_null)
{
	uint8_t *bytes = sample();
	struct sink s;
	struct error e;

	open_sink(&s, "null:");
	ck_assert_int_eq(s.kind, SINK_NULL);
	append(&s, bytes, LEN);
	append(&s, bytes, LEN);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	ck_assert_int_eq(sink_write_last(&s, bytes, UNIT, &e), STATUS_OK);
	ck_assert_int_eq(sink_rewind(&s, &e), STATUS_UNSUPPORTED);
	sink_discard(&s);
	sink_free(&s);
	ck_assert_int_eq(helper_file_size("null:"), -1);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sink_stream");
	TCase *tcase = tcase_create("streams");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, test_fifo);
	tcase_add_test(tcase, test_standard_output);
	tcase_add_test(tcase, test_devices);
	tcase_add_test(tcase, test_null);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
