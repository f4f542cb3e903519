// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Examines a device before it is opened: in a child process, for a limited time.  Later, checks
 * whether the device has changed since.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/clock.h"
#include "io/existing.h"
#include "io/transfer.h"

/* Signatures are within ENDS bytes of either end; these are read PIECE bytes at a time. */
enum { ENDS = 4 << 20, PIECE = 16 << 10 };

/* False: a read failed. */
static bool hash_part(int fd, uint64_t from, uint64_t to, uint64_t *hash)
{
	uint8_t piece[PIECE];

	while (from < to) {
		size_t length = to - from < PIECE ? (size_t)(to - from) : PIECE;

		if (transfer_pread(fd, piece, length, from) != length)
			return false;
		*hash = XXH3_64bits_withSeed(piece, length, *hash);
		from += length;
	}
	return true;
}

/* A hash of the parts that can contain signatures; 0: they cannot be read. */
static uint64_t examine(int fd)
{
	uint64_t hash = 1;
	off_t end = lseek(fd, 0, SEEK_END);
	uint64_t size = end < 0 ? 0 : (uint64_t)end;
	uint64_t first = size < ENDS ? size : ENDS;
	uint64_t last = size - first < ENDS ? first : size - ENDS;

	return end >= 0 && hash_part(fd, 0, first, &hash) && hash_part(fd, last, size, &hash) ? hash : 0;
}

static enum status refuse(int fd, const char *name, unsigned permits, struct error *e)
{
	enum status status = permits & PERMIT_DUMPS ? STATUS_OK : holding_refuse(holding_of_head(fd), name, e);

	return status ? status : contents_refuse(fd, name, e);
}

enum status contents_refuse_changed(int fd, const char *name, unsigned permits,
				    uint64_t seen, struct error *e)
{
	return seen && examine(fd) == seen ? STATUS_OK : refuse(fd, name, permits, e);
}

/* The answer of the child process, sent through a pipe with one write. */
struct answer {
	enum status status;
	uint64_t seen;
	struct error error;
};

/*
 * Closes all descriptors but one, and returns that as it is numbered now.  This process may hang
 * while it has standard output open, and then the reader of that would never see the end of file.
 */
static int close_others(int kept)
{
	dup2(kept, STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
#ifdef SYS_close_range
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
#endif
	return STDIN_FILENO;
}

static void __attribute__((noreturn)) examine_and_exit(const char *name, unsigned permits, int answers)
{
	struct answer answer = { .status = STATUS_OK };
	int fd;

	answers = close_others(answers);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		answer.status = error_system(&answer.error, errno, "%s", name);
	} else {
		/* In this order: a write in between changes the hash later. */
		answer.seen = examine(fd);
		answer.status = refuse(fd, name, permits, &answer.error);
	}
	/* If this fails, the parent sees the end of the pipe without an answer. */
	transfer_write(answers, &answer, sizeof(answer));
	_exit(0);
}

enum status contents_refuse_unopened(const char *name, unsigned permits, uint64_t *seen,
				     struct error *e)
{
	struct answer answer = { .status = STATUS_OK };
	int ends[2];
	pid_t child;

	*seen = answer.seen;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_system(e, errno, "pipe");
	child = fork();
	if (child == 0)
		examine_and_exit(name, permits, ends[1]);
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return STATUS_OK;
	}
	if (transfer_wait_until(ends[0], clock_seconds() + CONTENTS_PATIENCE) &&
	    transfer_read(ends[0], &answer, sizeof(answer)) == sizeof(answer)) {
		waitpid(child, NULL, 0);
	} else {
		/* If it hangs in the kernel, it is not waited for; it keeps nothing open. */
		kill(child, SIGKILL);
		waitpid(child, NULL, WNOHANG);
	}
	close(ends[0]);
	*seen = answer.seen;
	*e = answer.error;
	return answer.status;
}
