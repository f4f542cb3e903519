// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alignment.h"
#include "base/bytes.h"
#include "cmd/nsplit/drill/device.h"
#include "io/transfer.h"

/* Bytes at either end that count; bytes that are read or written, and that are cleared, at a time. */
enum { END = 1 << 20, PIECE = 64 << 10, STEP = 64 << 20 };
enum { OPEN_TRIES = 200, OPEN_INTERVAL = 10000 };	/* microseconds */

static bool open_device(const char *name, int flags, int *fd, uint64_t *size, struct error *e)
{
	off_t end = -1;

	*fd = open(name, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd >= 0)
		end = lseek(*fd, 0, SEEK_END);
	*size = end < 0 ? 0 : (uint64_t)end;
	if (end >= 0)
		return true;
	error_system(e, errno, "%s", name);
	if (*fd >= 0)
		close(*fd);
	return false;
}

static enum status refuse_between(int fd, const char *name, uint64_t from, uint64_t to, struct error *e)
{
	uint8_t piece[PIECE];

	while (from < to) {
		size_t length = (size_t)min_u64(to - from, PIECE);

		if (transfer_pread(fd, piece, length, from) < length)
			return error_system(e, errno ? errno : EIO, "%s", name);
		if (!bytes_are_zero(piece, length))
			return error_set(e, STATUS_USAGE, "%s: is not blank, and a drill overwrites no device that holds "
					 "something", name);
		from += length;
	}
	return STATUS_OK;
}

enum status drill_device_refuse(const char *name, struct error *e)
{
	enum status status;
	uint64_t size;
	int fd;

	if (!open_device(name, O_RDONLY, &fd, &size, e))
		return e->status;
	status = refuse_between(fd, name, 0, min_u64(size, END), e);
	if (!status && size > END)
		status = refuse_between(fd, name, size - END, size, e);
	close(fd);
	return status;
}

/* The device may do that without writing; from and to are multiples of ALIGNMENT, or its end. */
static bool clear_by_device(int fd, uint64_t from, uint64_t to)
{
	uint64_t range[2] = { from, to - from };

	return ioctl(fd, BLKZEROOUT, range) == 0;
}

static bool clear_by_writing(int fd, uint64_t from, uint64_t to)
{
	const uint8_t zeros[PIECE] = { 0 };

	while (from < to) {
		size_t length = (size_t)min_u64(to - from, PIECE);

		if (transfer_pwrite(fd, zeros, length, from) < length)
			return false;
		from += length;
	}
	return true;
}

/* In steps, since a signal may not end the process during one. */
static bool clear_between(int fd, uint64_t from, uint64_t to)
{
	while (from < to) {
		uint64_t next = from + min_u64(to - from, STEP);

		if (!clear_by_device(fd, from, next) && !clear_by_writing(fd, from, next))
			return false;
		from = next;
	}
	return true;
}

/* Exclusive: it is refused if somebody has mounted it meanwhile.  A capture that was killed may take a while to end. */
static bool open_exclusive(const char *name, int *fd, uint64_t *size)
{
	struct error e;
	unsigned tries = 0;

	while (!open_device(name, O_RDWR | O_EXCL, fd, size, &e)) {
		errno = e.errnum;
		if (errno != EBUSY || ++tries == OPEN_TRIES)
			return false;
		usleep(OPEN_INTERVAL);
	}
	return true;
}

static bool clear(const char *name, uint64_t bytes)
{
	uint64_t size, written, last;
	bool cleared;
	int errnum, fd;

	if (!open_exclusive(name, &fd, &size))
		return false;
	written = min_u64(max_u64(round_up(bytes + ALIGNMENT, ALIGNMENT), END), size);
	last = size > END ? round_down(size - END, ALIGNMENT) : 0;
	cleared = clear_between(fd, 0, written) && clear_between(fd, max_u64(last, written), size) && fsync(fd) == 0;
	errnum = errno;
	if (close(fd) < 0 && cleared)
		return false;
	errno = errnum;
	return cleared;
}

static void __attribute__((noreturn)) clear_in_child(const char *name, uint64_t bytes)
{
	/* It asks for a report; there is none. */
	signal(SIGUSR1, SIG_IGN);
	_exit(clear(name, bytes) ? 0 : errno);
}

enum status drill_device_clear(const char *name, uint64_t bytes, struct drill_signals *signals, struct error *e)
{
	pid_t child;
	int status;

	if (drill_fork(signals, &child, e))
		return e->status;
	if (!child)
		clear_in_child(name, bytes);
	status = drill_wait(signals, child);
	if (WIFSIGNALED(status))
		return error_set(e, STATUS_STOPPED, "%s: is not blank again, since a signal has ended that; it may hold what "
				 "the drill has written", name);
	return WEXITSTATUS(status) ? error_system(e, WEXITSTATUS(status), "%s: cannot be made blank again", name) :
				     STATUS_OK;
}
