// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that their file system has no more room for: what is kept back, and what is dropped. */
#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unit.h"
#include "helper.h"
#include "io/sink.h"

enum { LEN = 5 * UNIT, HELD = 2 * UNIT, LONGEST_TAIL = 100 * UNIT };

/* Bytes of the file system that the file takes up. */
static uint64_t taken(int fd)
{
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* What an append leaves that fails half-way. */
static void leave_tail(const struct sink *s, size_t len)
{
	uint8_t *bytes = helper_noise(len);

	ck_assert_uint_eq(pwrite(s->fd, bytes, len, (off_t)s->length), len);
	/* Else the file may take up blocks later on. */
	ck_assert_int_eq(fsync(s->fd), 0);
	free(bytes);
}

/* Not every file system keeps anything back. */
START_TEST(test_reserve)
{
	uint8_t *bytes = helper_noise(LEN);
	uint64_t reserve, with;
	struct sink s;

	helper_open_sink(&s, "new", false);
	helper_append(&s, bytes, HELD);
	ck_assert_int_eq(fsync(s.fd), 0);
	ck_assert_int_eq(helper_file_size("new"), HELD);
	reserve = s.reserve;
	for (int round = 0; round < 2; round++) {
		with = taken(s.fd);
		ck_assert_uint_ge(with, HELD + reserve);
		sink_release(&s);
		ck_assert_uint_eq(s.reserve, 0);
		ck_assert_uint_le(taken(s.fd), with - reserve);
		sink_release(&s);		/* a second time, there is nothing to do */
		sink_keep_back(&s);
		ck_assert_uint_eq(s.reserve, reserve);
	}
	helper_close_sink(&s);
	helper_assert_file("new", bytes, HELD);
	free(bytes);
}
END_TEST

static const size_t tails[] = { UNIT, 3 * UNIT, 4 * UNIT, LONGEST_TAIL };

/* A failed append leaves the length, and what it wrote is no part of the file. */
START_TEST(test_rewind)
{
	uint8_t *bytes = helper_noise(LEN);
	struct sink s;
	struct error e;

	for (int released = 0; released < 2; released++) {
		helper_open_sink(&s, "new", released);
		helper_append(&s, bytes, HELD);
		leave_tail(&s, tails[_i]);
		ck_assert_int_eq(sink_rewind(&s, &e), STATUS_OK);
		ck_assert_uint_eq(s.length, HELD);
		ck_assert_uint_le(taken(s.fd), HELD + s.reserve);
		if (released)
			sink_release(&s);
		helper_append(&s, bytes + HELD, LEN - HELD);
		ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
		helper_close_sink(&s);
		helper_assert_file("new", bytes, LEN);
	}
	free(bytes);
}
END_TEST

/* In the child: stops at each of its system calls from then on. */
static void rewind_traced(struct sink *s)
{
	struct error e;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(EXIT_SUCCESS);
	raise(SIGSTOP);
	_exit(sink_rewind(s, &e) == STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE);
}

/*
 * Another output on the same file system may ask for room at any moment, and what this
 * one keeps back must not be there for it to take.  So the file is looked at between all that
 * the rewinding asks of the kernel.  Where nobody may trace, nothing is seen.
 */
START_TEST(test_rewind_keeps_reserve)
{
	uint8_t *bytes = helper_noise(LEN);
	struct sink s;
	int status;
	pid_t child;

	helper_open_sink(&s, "new", false);
	helper_append(&s, bytes, HELD);
	leave_tail(&s, tails[_i]);
	child = fork();
	if (child == 0)
		rewind_traced(&s);
	ck_assert_int_gt(child, 0);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (taken(s.fd) < HELD + s.reserve)
			kill(child, SIGKILL);
		ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	}
	ck_assert_msg(WIFEXITED(status), "the reserve went for a moment");
	ck_assert_int_eq(WEXITSTATUS(status), EXIT_SUCCESS);
	helper_close_sink(&s);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sink_full");
	TCase *files = tcase_create("full files");

	helper_use_directory(files);
	tcase_set_timeout(files, 30);
	tcase_add_test(files, test_reserve);
	tcase_add_loop_test(files, test_rewind, 0, LENGTH(tails));
	tcase_add_loop_test(files, test_rewind_keeps_reserve, 0, LENGTH(tails));
	suite_add_tcase(suite, files);
	return helper_run(suite);
}
