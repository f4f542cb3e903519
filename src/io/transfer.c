// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/transfer.h"

/*
 * What is read is one of many pages, so its tries take no time; an output is given up after the error, so writing waits
 * for a second in all.
 */
enum { WRITE_WAITS = 1000 };
static const struct timespec write_wait = { .tv_nsec = 1000000 };

/* A call that took as long before a signal interrupted it has waited: it is not one that fails at once. */
static const double waited = 0.001;

struct tries {
	unsigned failed;	/* calls since the last success */
	double ended;		/* when the last of them did */
};

/*
 * True if to continue after a call that returned n.  Waits if somebody else made the descriptor
 * non-blocking (a terminal, a shell's pipe).
 */
static bool again(int fd, ssize_t n, short events, struct tries *t)
{
	struct pollfd p = { .fd = fd, .events = events };
	int errnum = errno;

	if (n > 0) {
		t->failed = 0;
		return true;
	}
	if (n == 0) {
		errno = 0;
		return false;
	}
	if (errnum != EAGAIN && errnum != EINTR)
		return false;
	if (errnum == EINTR && clock_seconds() - t->ended >= waited) {
		t->ended = clock_seconds();
		return true;
	}
	if (++t->failed > TRANSFER_TRIES + (events == POLLOUT ? WRITE_WAITS : 0))
		return false;
	if (t->failed > TRANSFER_TRIES)
		nanosleep(&write_wait, NULL);
	t->ended = clock_seconds();
	return errnum == EINTR || poll(&p, 1, -1) >= 0 || errno == EINTR;
}

bool transfer_wait(int fd, int wake_fd)
{
	struct pollfd fds[2] = {
		{ .fd = wake_fd, .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};

	while (poll(fds, 2, -1) < 0)
		if (errno != EINTR)
			return false;
	if (fds[0].revents)
		errno = ECANCELED;
	return !fds[0].revents;
}

bool transfer_wait_until(int fd, double until)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	double left;

	while ((left = until - clock_seconds()) > 0) {
		int ready = poll(&p, 1, (int)(left * 1000) + 1);

		if (ready > 0)
			return true;
		if (ready < 0 && errno != EINTR)
			return false;
	}
	return false;
}

/* At an offset, or with NULL where the descriptor is. */
static size_t read_all(int fd, char *bytes, size_t len, const uint64_t *offset, int wake_fd)
{
	struct tries tries = { 0 };
	size_t done = 0;

	while (done < len && (wake_fd < 0 || transfer_wait(fd, wake_fd))) {
		ssize_t n = offset ? pread(fd, bytes + done, len - done, (off_t)(*offset + done))
				   : read(fd, bytes + done, len - done);

		/* Another process read the data first; wait again, for wake_fd as well. */
		if (n < 0 && errno == EAGAIN && wake_fd >= 0 && ++tries.failed <= TRANSFER_TRIES)
			continue;
		if (!again(fd, n, POLLIN, &tries))
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	return done;
}

size_t transfer_read_until(int fd, void *buffer, size_t len, int wake_fd)
{
	return read_all(fd, buffer, len, NULL, wake_fd);
}

size_t transfer_read(int fd, void *buffer, size_t len)
{
	return read_all(fd, buffer, len, NULL, -1);
}

size_t transfer_pread(int fd, void *buffer, size_t len, uint64_t offset)
{
	return read_all(fd, buffer, len, &offset, -1);
}

/* The same. */
static size_t write_all(int fd, const char *bytes, size_t len, const uint64_t *offset)
{
	struct tries tries = { 0 };
	size_t done = 0;

	while (done < len) {
		ssize_t n = offset ? pwrite(fd, bytes + done, len - done, (off_t)(*offset + done))
				   : write(fd, bytes + done, len - done);

		if (!again(fd, n, POLLOUT, &tries))
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	/* A write of 0 bytes has no errno: there is no space. */
	if (done < len && errno == 0)
		errno = ENOSPC;
	return done;
}

size_t transfer_write(int fd, const void *buffer, size_t len)
{
	return write_all(fd, buffer, len, NULL);
}

size_t transfer_pwrite(int fd, const void *buffer, size_t len, uint64_t offset)
{
	return write_all(fd, buffer, len, &offset);
}
