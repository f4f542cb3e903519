// SPDX-License-Identifier: GPL-2.0-or-later
/* Sinks that are pipes, devices, standard output and null:. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alignment.h"
#include "helper.h"
#include "io/sink.h"

enum { LEN = 5 * ALIGNMENT };

START_TEST(test_fifo)
{
	uint8_t *bytes = helper_noise(LEN), *got = helper_pages(LEN);
	struct sink s;
	struct error e;
	int reader;

	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	reader = open("fifo", O_RDONLY | O_NONBLOCK);
	helper_open_sink(&s, "fifo", false);
	ck_assert_int_eq(s.kind, SINK_STREAM);
	ck_assert(!s.created);
	helper_append(&s, bytes, LEN);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	ck_assert_int_eq(sink_write_last(&s, bytes, ALIGNMENT, &e), STATUS_OK);
	ck_assert(!sink_rewinds(&s));
	ck_assert_int_eq(read(reader, got, LEN), LEN);
	ck_assert_int_eq(memcmp(got, bytes, LEN), 0);
	close(reader);
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(sink_append(&s, bytes, ALIGNMENT, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "fifo: Broken pipe");
	ck_assert_uint_eq(s.length, LEN);
	ck_assert_int_eq(sink_discard(&s, &e), STATUS_OK);
	sink_free(&s);
	ck_assert_int_ge(helper_file_size("fifo"), 0);
	free(bytes);
	free(got);
}
END_TEST

START_TEST(test_standard_output)
{
	uint8_t *bytes = helper_noise(LEN);
	struct sink s;
	struct error e;
	int fd = open("file", O_WRONLY | O_CREAT, 0644), saved = dup(STDOUT_FILENO);

	ck_assert_int_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	helper_open_sink(&s, "-", false);
	ck_assert_str_eq(s.name, "standard output");
	ck_assert_int_eq(s.kind, SINK_STREAM);
	helper_append(&s, bytes, LEN);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	ck_assert_int_eq(sink_discard(&s, &e), STATUS_OK);
	sink_free(&s);
	/* The program keeps standard output, and the mode of its file is not changed. */
	ck_assert_int_ge(fcntl(STDOUT_FILENO, F_GETFD), 0);
	dup2(saved, STDOUT_FILENO);
	ck_assert_int_eq(helper_file_mode("file"), 0644 & ~022);
	helper_assert_file("file", bytes, LEN);
	close(fd);
	free(bytes);
}
END_TEST

START_TEST(test_devices)
{
	uint8_t *bytes = helper_noise(LEN);
	struct sink s;
	struct error e;

	helper_open_sink(&s, "/dev/null", false);
	ck_assert_int_eq(s.kind, SINK_STREAM);
	helper_append(&s, bytes, LEN);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	helper_close_sink(&s);
	if (access("/dev/full", W_OK) == 0) {
		helper_open_sink(&s, "/dev/full", false);
		ck_assert_int_eq(sink_append(&s, bytes, ALIGNMENT, &e), STATUS_SYSTEM);
		ck_assert_int_eq(e.errnum, ENOSPC);
		ck_assert_str_eq(e.text, "/dev/full: No space left on device");
		ck_assert_uint_eq(s.length, 0);
		helper_close_sink(&s);
	}
	free(bytes);
}
END_TEST

START_TEST(test_null)
{
	uint8_t *bytes = helper_noise(LEN);
	struct sink s;
	struct error e;

	helper_open_sink(&s, "null:", false);
	ck_assert_int_eq(s.kind, SINK_NULL);
	helper_append(&s, bytes, LEN);
	helper_append(&s, bytes, LEN);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	ck_assert_int_eq(sink_write_last(&s, bytes, ALIGNMENT, &e), STATUS_OK);
	ck_assert(!sink_rewinds(&s));
	ck_assert_int_eq(sink_discard(&s, &e), STATUS_OK);
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
