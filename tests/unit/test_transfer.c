// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
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

/* --- files --------------------------------------------------------------- */

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
	TCase *pipes = tcase_create("pipes");

	tcase_set_timeout(pipes, 30);
	tcase_add_loop_test(pipes, test_read_pipe, 0, 2);
	tcase_add_loop_test(pipes, test_write_pipe, 0, 2);
	tcase_add_loop_test(pipes, test_read_until, 0, 2);
	suite_add_tcase(suite, pipes);
	return helper_run(suite);
}
