// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks over sets whose members are pipes. */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper.h"
#include "walked.h"

/* Each of the walked_files is written to a pipe of its own by a process of its own. */
static void make_pipes(pid_t *writers, unsigned count, size_t cut)
{
	for (unsigned i = 0; i < count; i++) {
		char name[16];
		uint8_t *bytes;
		size_t len;

		snprintf(name, sizeof(name), "p%u", i);
		ck_assert_int_eq(mkfifo(name, 0600), 0);
		bytes = helper_read_file(walked_files[i], &len);
		writers[i] = fork();
		if (writers[i] == 0) {
			FILE *pipe;

			signal(SIGPIPE, SIG_IGN);
			pipe = fopen(name, "w");
			_exit(pipe && fwrite(bytes, 1, len - cut, pipe) == len - cut &&
			      fclose(pipe) == 0 ? 0 : 1);
		}
		ck_assert_int_gt(writers[i], 0);
		free(bytes);
	}
}

static void reap(const pid_t *writers, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		int status;

		ck_assert_int_eq(waitpid(writers[i], &status, 0), writers[i]);
	}
}

static const char *const pipes[] = { "p0", "p1", "p2" };

START_TEST(test_streams)
{
	uint8_t *source = walked_make_set();
	pid_t writers[WALKED_MEMBERS];
	struct walked t;

	make_pipes(writers, WALKED_MEMBERS, 0);
	walked_open(&t, pipes, WALKED_MEMBERS, (unsigned)_i);
	ck_assert(t.set.has_stream);
	walked_run(&t);
	walked_assert_range(&t, source, 0, WALKED_SIZE);
	walked_assert_no_hole(&t, 0);
	walked_close(&t);
	reap(writers, WALKED_MEMBERS);
	free(source);
}
END_TEST

START_TEST(test_stream_in_order)
{
	uint8_t *source = maker_source(WALKED_SIZE);
	struct walked t;
	pid_t writer;

	maker_make_set(source, WALKED_SIZE, 1, NULL);
	make_pipes(&writer, 1, 0);
	walked_open(&t, pipes, 1, (unsigned)_i);
	t.settings.ordered = true;
	t.settings.from = 100;
	t.settings.to = WALKED_SIZE - 100;
	walked_run(&t);
	walked_assert_range(&t, source, 100, WALKED_SIZE - 100);
	walked_assert_no_hole(&t, 0);
	walked_close(&t);
	reap(&writer, 1);
	free(source);
}
END_TEST

START_TEST(test_file_and_stream)
{
	static const char *const names[] = { "m0", "p1", "m2" };
	uint8_t *source = walked_make_set();
	pid_t writers[WALKED_MEMBERS];
	struct walked t;

	make_pipes(writers, WALKED_MEMBERS, 0);
	for (unsigned i = 0; i < WALKED_MEMBERS; i += 2)
		kill(writers[i], SIGKILL);
	walked_open(&t, names, WALKED_MEMBERS, (unsigned)_i);
	walked_run(&t);
	walked_assert_range(&t, source, 0, WALKED_SIZE);
	walked_assert_no_hole(&t, 0);
	walked_close(&t);
	reap(writers, WALKED_MEMBERS);
	free(source);
}
END_TEST

/*
 * An ordered walk over a file and a stream with alternating records: the order cannot be kept
 * without seeking, but the walk must end.
 */
static enum status deliver_any(void *arg, const struct delivery *delivery, struct error *e)
{
	struct walked *t = arg;

	(void)delivery, (void)e;
	pthread_mutex_lock(&t->lock);
	t->deliveries++;
	pthread_mutex_unlock(&t->lock);
	return STATUS_OK;
}

START_TEST(test_file_and_stream_in_order)
{
	static const char *const names[] = { "m0", "p1", "m2" };
	pid_t writers[WALKED_MEMBERS];
	struct walked t;

	free(walked_make_set());
	make_pipes(writers, WALKED_MEMBERS, 0);
	for (unsigned i = 0; i < WALKED_MEMBERS; i += 2)
		kill(writers[i], SIGKILL);
	walked_open(&t, names, WALKED_MEMBERS, (unsigned)_i);
	t.settings.ordered = true;
	t.settings.deliver = deliver_any;
	walked_run(&t);
	ck_assert_msg(t.status == STATUS_OK || t.status == STATUS_USAGE, "%s", t.error.text);
	if (!t.status)
		walked_assert_no_hole(&t, 0);
	walked_close(&t);
	reap(writers, WALKED_MEMBERS);
}
END_TEST

START_TEST(test_stream_cut)
{
	struct walked t;
	pid_t writer;
	uint8_t *source = maker_source(WALKED_SIZE);

	maker_make_set(source, WALKED_SIZE, 1, NULL);
	make_pipes(&writer, 1, 3 * ALIGNMENT);
	walked_open(&t, pipes, 1, (unsigned)_i);
	walked_run(&t);
	ck_assert_int_eq(t.status, STATUS_CUT);
	walked_close(&t);
	reap(&writer, 1);

	ck_assert_int_eq(unlink("p0"), 0);
	make_pipes(&writer, 1, 3 * ALIGNMENT);
	walked_open(&t, pipes, 1, (unsigned)_i);
	t.settings.past_damage = true;
	walked_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.damaged, 1);
	walked_assert_hole(&t, 0, WALKED_CHUNKS * MAKER_CHUNK, 5001);
	walked_close(&t);
	reap(&writer, 1);
	free(source);
}
END_TEST

/* The size of a stream of unknown length is only in its footer. */
START_TEST(test_stream_of_unknown_size)
{
	uint8_t *source = maker_source(WALKED_SIZE);
	struct maker m;
	struct walked t;
	pid_t writer;

	maker_init(&m, 0, 1, SOURCE_SIZE_UNKNOWN);
	maker_begin(&m);
	maker_add_record(&m, source, 0, MAKER_CHUNK);
	m.superblock.source_size = 2 * MAKER_CHUNK;
	maker_add_footer(&m);
	maker_write(&m, "m0");
	maker_free(&m);
	make_pipes(&writer, 1, 0);
	walked_open(&t, pipes, 1, (unsigned)_i);
	ck_assert_uint_eq(t.set.source_size, SOURCE_SIZE_UNKNOWN);
	walked_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.set.source_size, 2 * MAKER_CHUNK);
	walked_assert_hole(&t, 0, MAKER_CHUNK, MAKER_CHUNK);
	walked_close(&t);
	reap(&writer, 1);

	/* Without a footer, the last record determines the size. */
	ck_assert_int_eq(unlink("p0"), 0);
	make_pipes(&writer, 1, ALIGNMENT);
	walked_open(&t, pipes, 1, (unsigned)_i);
	t.settings.past_damage = true;
	walked_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.set.source_size, MAKER_CHUNK);
	walked_assert_no_hole(&t, 0);
	walked_close(&t);
	reap(&writer, 1);
	free(source);
}
END_TEST

/* A range may have been captured again. */
START_TEST(test_stream_that_overlaps)
{
	uint8_t *source = maker_source(2 * MAKER_CHUNK);
	struct maker m;
	struct walked t;
	pid_t writer;

	maker_init(&m, 0, 1, 2 * MAKER_CHUNK);
	maker_begin(&m);
	maker_add_record(&m, source, 0, MAKER_CHUNK);
	maker_add_record(&m, source, MAKER_BLOCK, 2 * MAKER_BLOCK);
	maker_add_record(&m, source, MAKER_CHUNK, MAKER_CHUNK);
	maker_add_footer(&m);
	maker_write(&m, "m0");
	maker_free(&m);
	for (int past = 0; past < 2; past++) {
		make_pipes(&writer, 1, 0);
		walked_open(&t, pipes, 1, (unsigned)_i);
		t.settings.past_damage = past;
		walked_run(&t);
		ck_assert_int_eq(t.status, STATUS_OK);
		ck_assert_uint_eq(t.damaged, 0);
		ck_assert_mem_eq(t.bytes, source, 2 * MAKER_CHUNK);
		walked_assert_no_hole(&t, 0);
		walked_close(&t);
		reap(&writer, 1);
		ck_assert_int_eq(unlink("p0"), 0);
	}
	free(source);
}
END_TEST

/* A sender that has written something, keeps the pipe open, and writes no more. */
static int make_silent_pipe(void)
{
	size_t len, some = 3 * MAKER_CHUNK;
	uint8_t *bytes = helper_read_file("m0", &len);
	int fd;

	ck_assert_int_eq(mkfifo("p0", 0600), 0);
	fd = open("p0", O_RDWR);
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_gt(len, some);
	ck_assert_int_eq(write(fd, bytes, some), (ssize_t)some);
	free(bytes);
	return fd;
}

/* A walk that is stopped, or has failed elsewhere, does not wait for it. */
START_TEST(test_silent_stream)
{
	static const char *const names[] = { "p0", "m1", "m2" };
	uint8_t *source = walked_make_set();

	for (int fails = 0; fails < 2; fails++) {
		int fd = make_silent_pipe();
		struct walked t;

		walked_open(&t, names, LENGTH(names), (unsigned)_i);
		if (fails)
			t.fail_at = 2;
		else
			t.stop_at = 2;
		walked_run(&t);
		ck_assert_int_eq(t.status, fails ? STATUS_SYSTEM : STATUS_STOPPED);
		ck_assert_str_eq(t.error.text, fails ? "refused from delivery 2" : "stopped");
		walked_close(&t);
		close(fd);
		ck_assert_int_eq(unlink("p0"), 0);
	}
	free(source);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("walk_streams");
	TCase *tcase = tcase_create("streams");

	helper_use_directory(tcase);
	/* _i is the number of threads. */
	tcase_add_loop_test(tcase, test_streams, 1, 6);
	tcase_add_loop_test(tcase, test_stream_in_order, 1, 6);
	tcase_add_loop_test(tcase, test_file_and_stream, 1, 6);
	tcase_add_loop_test(tcase, test_file_and_stream_in_order, 1, 6);
	tcase_add_loop_test(tcase, test_stream_cut, 1, 4);
	tcase_add_loop_test(tcase, test_stream_of_unknown_size, 1, 4);
	tcase_add_loop_test(tcase, test_stream_that_overlaps, 1, 4);
	tcase_add_loop_test(tcase, test_silent_stream, 1, 6);
	tcase_set_timeout(tcase, 30);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
