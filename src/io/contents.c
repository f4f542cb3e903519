// SPDX-License-Identifier: GPL-2.0-or-later
/* Looking at a device that is not open: in a process of its own, for a limited time. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/contents.h"
#include "io/transfer.h"

/* What the process that looks says: all of it in one write to the pipe, or nothing. */
struct answer {
	enum status status;
	struct error error;
};

/*
 * If this process hangs, whoever waits for the end of something that is open here, such as
 * standard output, must not wait for it.  Returns what kept is now.
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

static void __attribute__((noreturn)) look(const char *name, int answers)
{
	struct answer answer = { .status = STATUS_OK };
	int fd;

	answers = close_others(answers);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		answer.status = error_system(&answer.error, errno, "%s", name);
	else
		answer.status = contents_refuse(fd, name, &answer.error);
	_exit(transfer_write(answers, &answer, sizeof(answer)) != sizeof(answer));
}

/* False: there is none in time. */
static bool wait_for_answer(int answers, struct answer *answer)
{
	double until = clock_seconds() + CONTENTS_PATIENCE, left;
	struct pollfd p = { .fd = answers, .events = POLLIN };

	while ((left = until - clock_seconds()) > 0) {
		int ready = poll(&p, 1, (int)(left * 1000) + 1);

		if (ready > 0)
			return read(answers, answer, sizeof(*answer)) == sizeof(*answer);
		if (ready < 0 && errno != EINTR)
			return false;
	}
	return false;
}

/* One that hangs in the kernel is left to itself; it holds nothing that anybody waits for. */
static void end_look(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, WNOHANG);
}

enum status contents_refuse_unopened(const char *name, struct error *e)
{
	struct answer answer = { .status = STATUS_OK };
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_system(e, errno, "pipe");
	child = fork();
	if (child == 0)
		look(name, ends[1]);
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return STATUS_OK;
	}
	if (wait_for_answer(ends[0], &answer))
		waitpid(child, NULL, 0);
	else
		end_look(child);
	close(ends[0]);
	*e = answer.error;
	return answer.status;
}
