// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <unistd.h>

#include "io/transfer.h"

/*
 * True if to continue after a call that returned n.  Waits if somebody else made the descriptor
 * non-blocking (a terminal, a shell's pipe).
 */
static bool again(int fd, ssize_t n, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	if (n > 0)
		return true;
	if (n == 0) {
		errno = 0;
		return false;
	}
	if (errno == EAGAIN)
		return poll(&p, 1, -1) >= 0 || errno == EINTR;
	return errno == EINTR;
}

static size_t advance(size_t done, ssize_t n)
{
	return n > 0 ? done + (size_t)n : done;
}

/* False, with errno: failed, or woken by wake_fd. */
static bool wait_to_read(int fd, int wake_fd)
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

size_t transfer_read_until(int fd, void *buffer, size_t len, int wake_fd)
{
	size_t done = 0;

	while (done < len && (wake_fd < 0 || wait_to_read(fd, wake_fd))) {
		ssize_t n = read(fd, (char *)buffer + done, len - done);

		/* Another process read the data first; wait again, for wake_fd as well. */
		if (n < 0 && errno == EAGAIN && wake_fd >= 0)
			continue;
		if (!again(fd, n, POLLIN))
			break;
		done = advance(done, n);
	}
	return done;
}

size_t transfer_read(int fd, void *buffer, size_t len)
{
	return transfer_read_until(fd, buffer, len, -1);
}

size_t transfer_pread(int fd, void *buffer, size_t len, uint64_t offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)buffer + done, len - done,
				  (off_t)(offset + done));

		if (!again(fd, n, POLLIN))
			break;
		done = advance(done, n);
	}
	return done;
}

/* A write of 0 bytes has no errno: there is no space. */
static void no_progress_is_no_space(size_t done, size_t len)
{
	if (done < len && errno == 0)
		errno = ENOSPC;
}

size_t transfer_write(int fd, const void *buffer, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = write(fd, (const char *)buffer + done, len - done);

		if (!again(fd, n, POLLOUT))
			break;
		done = advance(done, n);
	}
	no_progress_is_no_space(done, len);
	return done;
}

size_t transfer_pwrite(int fd, const void *buffer, size_t len, uint64_t offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(fd, (const char *)buffer + done, len - done,
				   (off_t)(offset + done));

		if (!again(fd, n, POLLOUT))
			break;
		done = advance(done, n);
	}
	no_progress_is_no_space(done, len);
	return done;
}
