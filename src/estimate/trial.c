// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "estimate/trial.h"
#include "io/path.h"
#include "io/transfer.h"

/* Bytes of one write, as of a large record. */
enum { PIECE = 1 << 20 };

/* What the process of a trial reports. */
struct result {
	struct trial trial;
	int failed;			/* errno; 0: the trial was made */
};

/* --- in the process of the trial -------------------------------------------- */

/* A file without a name; file systems that know no such file get one whose name is removed at once. */
static int open_unnamed(const char *directory)
{
	char name[PATH_MAX + 32];
	int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT))
		return fd;
	snprintf(name, sizeof(name), "%s/.nsplit-estimate-XXXXXX", directory);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

/* Bytes that no file system can compress. */
static void fill_with_noise(uint8_t *bytes, size_t length)
{
	uint64_t state = 0x9e3779b97f4a7c15;

	for (size_t i = 0; i + sizeof(state) <= length; i += sizeof(state)) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		memcpy(bytes + i, &state, sizeof(state));
	}
}

/* Past the page cache if that is possible, as a capture writes. */
static int write_file(int fd, uint8_t *piece, const struct trial_limits *limits, struct trial *trial)
{
	double began = clock_seconds(), cpu = clock_thread_seconds();
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		fcntl(fd, F_SETFL, flags | O_DIRECT);
	while (trial->bytes < limits->bytes && clock_seconds() - began < limits->write_seconds) {
		/* So that no two pieces are the same. */
		memcpy(piece, &trial->bytes, sizeof(trial->bytes));
		if (transfer_write(fd, piece, PIECE) != PIECE) {
			if (errno != EINVAL || !(fcntl(fd, F_GETFL) & O_DIRECT))
				return errno ? errno : EIO;
			fcntl(fd, F_SETFL, flags);
			continue;
		}
		trial->bytes += PIECE;
	}
	if (fsync(fd) < 0)
		return errno;
	trial->seconds = clock_seconds() - began;
	trial->cpu_seconds = clock_thread_seconds() - cpu;
	return 0;
}

static void make_here(const char *directory, const struct trial_limits *limits, struct result *result)
{
	uint8_t *piece = memory_to_read(PIECE);
	int fd = piece ? open_unnamed(directory) : -1;

	if (fd < 0) {
		result->failed = piece ? errno : ENOMEM;
		return;
	}
	fill_with_noise(piece, PIECE);
	result->failed = write_file(fd, piece, limits, &result->trial);
}

/* --- in this one ------------------------------------------------------------ */

static bool wait_for(int fd, double seconds)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	double until = clock_seconds() + seconds, left;

	while ((left = until - clock_seconds()) > 0) {
		int found = poll(&ready, 1, (int)(left * 1000) + 1);

		if (found > 0)
			return true;
		if (found < 0 && errno != EINTR)
			return false;
	}
	return false;
}

/* A process that hangs in the kernel ends when the file system answers, and init waits for it then. */
static void end_process(pid_t pid, bool answered)
{
	if (!answered)
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, answered ? 0 : WNOHANG) < 0 && errno == EINTR)
		;
}

static enum status report(const char *directory, bool answered, const struct result *result, double seconds,
			  struct error *e)
{
	if (!answered)
		return error_set(e, STATUS_SYSTEM, "%s: a file that was written for a trial was not on the disk after "
				 "%.1f s", directory, seconds);
	if (result->failed)
		return error_system(e, result->failed, "%s", directory);
	return STATUS_OK;
}

enum status trial_make(struct trial *trial, const char *name, const struct trial_limits *limits, struct error *e)
{
	struct result result = { .failed = EIO };
	char directory[PATH_MAX];
	bool answered;
	int ends[2];
	pid_t pid;

	if (!path_directory(name, directory))
		return error_system(e, errno, "%s", name);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_system(e, errno, "%s: trial", directory);
	pid = fork();
	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return error_system(e, errno, "%s: trial", directory);
	}
	if (pid == 0) {
		make_here(directory, limits, &result);
		_exit(transfer_write(ends[1], &result, sizeof(result)) == sizeof(result) ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	close(ends[1]);
	answered = wait_for(ends[0], limits->seconds);
	if (answered && transfer_read(ends[0], &result, sizeof(result)) != sizeof(result))
		result.failed = EIO;
	close(ends[0]);
	end_process(pid, answered);
	*trial = result.trial;
	return report(directory, answered, &result, limits->seconds, e);
}
