// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "corpus.h"
#include "helper.h"
#include "io/transfer.h"

enum { LEN = 300000, PIECE = 777 };

/* --- the other end of a pipe --------------------------------------------- */

struct peer {
	int fd;
	uint8_t *bytes;
	size_t done;
	pthread_t thread;
};

static void *trickle_main(void *arg)
{
	struct peer *p = arg;

	while (p->done < LEN) {
		size_t len = LEN - p->done < PIECE ? LEN - p->done : PIECE;
		struct pollfd fd = { .fd = p->fd, .events = POLLOUT };
		ssize_t n = write(p->fd, p->bytes + p->done, len);

		if (n > 0)
			p->done += (size_t)n;
		else if (errno == EAGAIN)
			poll(&fd, 1, -1);
		else
			break;
	}
	close(p->fd);
	return NULL;
}

static void *drain_main(void *arg)
{
	struct peer *p = arg;
	ssize_t n;

	for (;;) {
		struct pollfd fd = { .fd = p->fd, .events = POLLIN };

		n = read(p->fd, p->bytes + p->done, PIECE);
		if (n > 0)
			p->done += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			poll(&fd, 1, -1);
		else
			break;
	}
	close(p->fd);
	return NULL;
}

static void peer_start(struct peer *p, int fd, void *(*work)(void *), uint8_t *bytes)
{
	*p = (struct peer){ .fd = fd, .bytes = bytes };
	ck_assert_int_eq(pthread_create(&p->thread, NULL, work, p), 0);
}

/* --- pipes --------------------------------------------------------------- */

/* _i: pipes that make each call wait, and pipes that return EAGAIN. */
static void open_pipe(int fds[2], int nonblocking)
{
	ck_assert_int_eq(pipe2(fds, nonblocking ? O_NONBLOCK : 0), 0);
}

START_TEST(test_read_pipe)
{
	/* The second read asks for more than there is. */
	uint8_t *sent = helper_pages(LEN), *got = helper_pages(LEN + 100000);
	struct peer peer;
	int fds[2];

	corpus_fill(CORPUS_RANDOM, 1, sent, LEN);
	open_pipe(fds, _i);
	peer_start(&peer, fds[1], trickle_main, sent);
	ck_assert_uint_eq(transfer_read(fds[0], got, 100000), 100000);
	errno = EIO;
	ck_assert_uint_eq(transfer_read(fds[0], got + 100000, LEN), LEN - 100000);
	ck_assert_int_eq(errno, 0);
	ck_assert_mem_eq(got, sent, LEN);
	errno = EIO;
	ck_assert_uint_eq(transfer_read(fds[0], got, 1), 0);
	ck_assert_int_eq(errno, 0);
	pthread_join(peer.thread, NULL);
	close(fds[0]);
	free(sent);
	free(got);
}
END_TEST

START_TEST(test_write_pipe)
{
	uint8_t *sent = helper_pages(LEN), *got = helper_pages(LEN + PIECE);
	struct peer peer;
	int fds[2];

	corpus_fill(CORPUS_RANDOM, 2, sent, LEN);
	open_pipe(fds, _i);
	peer_start(&peer, fds[0], drain_main, got);
	ck_assert_uint_eq(transfer_write(fds[1], sent, LEN), LEN);
	close(fds[1]);
	pthread_join(peer.thread, NULL);
	ck_assert_uint_eq(peer.done, LEN);
	ck_assert_mem_eq(got, sent, LEN);
	free(sent);
	free(got);
}
END_TEST

START_TEST(test_broken_pipe)
{
	uint8_t *bytes = helper_pages(LEN);
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	open_pipe(fds, 0);
	close(fds[0]);
	ck_assert_uint_eq(transfer_write(fds[1], bytes, LEN), 0);
	ck_assert_int_eq(errno, EPIPE);
	close(fds[1]);
	free(bytes);
}
END_TEST

static void on_alarm(int number)
{
	(void)number;
}

/* A signal that interrupts the wait does not end the call. */
START_TEST(test_interrupted)
{
	struct sigaction action = { .sa_handler = on_alarm };
	uint8_t *sent = helper_pages(LEN), *got = helper_pages(LEN);
	struct peer peer;
	sigset_t set;
	int fds[2];

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaction(SIGALRM, &action, NULL);
	open_pipe(fds, 0);
	/* The signal must not be delivered to the other thread. */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	peer_start(&peer, fds[1], trickle_main, sent);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	ck_assert_uint_eq(transfer_read(fds[0], got, LEN / 2), LEN / 2);
	for (int i = 0; i < 20; i++) {
		ualarm(500, 0);
		ck_assert_uint_eq(transfer_read(fds[0], got, 1000), 1000);
	}
	ck_assert_uint_eq(transfer_read(fds[0], got, LEN), LEN - LEN / 2 - 20000);
	pthread_join(peer.thread, NULL);
	close(fds[0]);
	ck_assert_int_eq(pipe(fds), 0);
	ualarm(2000, 0);
	peer_start(&peer, fds[0], drain_main, got);
	ck_assert_uint_eq(transfer_write(fds[1], sent, LEN), LEN);
	close(fds[1]);
	pthread_join(peer.thread, NULL);
	free(sent);
	free(got);
}
END_TEST

/* --- files --------------------------------------------------------------- */

START_TEST(test_file)
{
	uint8_t *sent = helper_pages(LEN), *got = helper_pages(LEN);
	int fd = open("file", O_RDWR | O_CREAT, 0600);

	ck_assert_int_ge(fd, 0);
	corpus_fill(CORPUS_RANDOM, 3, sent, LEN);
	ck_assert_uint_eq(transfer_pwrite(fd, sent + 1000, LEN - 1000, 1000), LEN - 1000);
	ck_assert_uint_eq(transfer_pwrite(fd, sent, 1000, 0), 1000);
	ck_assert_uint_eq(transfer_pread(fd, got + 5, 2000, 5), 2000);
	ck_assert_mem_eq(got + 5, sent + 5, 2000);
	errno = EIO;
	ck_assert_uint_eq(transfer_pread(fd, got, LEN, 1), LEN - 1);
	ck_assert_int_eq(errno, 0);
	ck_assert_mem_eq(got, sent + 1, LEN - 1);
	errno = EIO;
	ck_assert_uint_eq(transfer_pread(fd, got, LEN, LEN), 0);
	ck_assert_int_eq(errno, 0);
	ck_assert_uint_eq(transfer_pread(fd, got, 0, 0), 0);
	ck_assert_uint_eq(transfer_pwrite(fd, got, 0, 0), 0);
	ck_assert_int_eq(helper_file_size("file"), LEN);
	close(fd);
	free(sent);
	free(got);
}
END_TEST

START_TEST(test_full)
{
	uint8_t *bytes = helper_pages(LEN);
	int fd = open("/dev/full", O_WRONLY);

	if (fd >= 0) {
		ck_assert_uint_eq(transfer_write(fd, bytes, LEN), 0);
		ck_assert_int_eq(errno, ENOSPC);
		ck_assert_uint_eq(transfer_pwrite(fd, bytes, LEN, 4096), 0);
		ck_assert_int_eq(errno, ENOSPC);
		close(fd);
	}
	free(bytes);
}
END_TEST

START_TEST(test_wrong_descriptor)
{
	uint8_t byte = 0;
	int fd = open("file", O_WRONLY | O_CREAT, 0600);

	ck_assert_uint_eq(transfer_read(fd, &byte, 1), 0);
	ck_assert_int_eq(errno, EBADF);
	ck_assert_uint_eq(transfer_pread(fd, &byte, 1, 0), 0);
	ck_assert_int_eq(errno, EBADF);
	close(fd);
	ck_assert_uint_eq(transfer_write(fd, &byte, 1), 0);
	ck_assert_int_eq(errno, EBADF);
	ck_assert_uint_eq(transfer_pwrite(fd, &byte, 1, 0), 0);
	ck_assert_int_eq(errno, EBADF);
}
END_TEST

/* Bytes read before are returned; a call that waits for more is woken. */
START_TEST(test_read_until)
{
	char bytes[8];
	int fds[2], wake = eventfd(0, EFD_NONBLOCK);

	ck_assert_int_eq(pipe2(fds, _i ? O_NONBLOCK : 0), 0);
	ck_assert_int_eq(write(fds[1], "abcde", 5), 5);
	ck_assert_uint_eq(transfer_read_until(fds[0], bytes, 3, wake), 3);
	ck_assert_int_eq(eventfd_write(wake, 1), 0);
	errno = 0;
	ck_assert_uint_eq(transfer_read_until(fds[0], bytes, 2, wake), 0);
	ck_assert_int_eq(errno, ECANCELED);
	ck_assert_uint_eq(transfer_read_until(fds[0], bytes, 2, -1), 2);
	ck_assert_mem_eq(bytes, "de", 2);
	close(fds[1]);
	errno = 1;
	ck_assert_uint_eq(transfer_read_until(fds[0], bytes, 2, -1), 0);
	ck_assert_int_eq(errno, 0);
	close(fds[0]);
	close(wake);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("transfer");
	TCase *pipes = tcase_create("pipes"), *files = tcase_create("files");

	tcase_set_timeout(pipes, 30);
	tcase_add_loop_test(pipes, test_read_pipe, 0, 2);
	tcase_add_loop_test(pipes, test_write_pipe, 0, 2);
	tcase_add_test(pipes, test_broken_pipe);
	tcase_add_test(pipes, test_interrupted);
	tcase_add_loop_test(pipes, test_read_until, 0, 2);
	suite_add_tcase(suite, pipes);
	helper_use_directory(files);
	tcase_add_test(files, test_file);
	tcase_add_test(files, test_full);
	tcase_add_test(files, test_wrong_descriptor);
	suite_add_tcase(suite, files);
	return helper_run(suite);
}
