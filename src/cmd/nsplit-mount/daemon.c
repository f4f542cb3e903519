// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd/common/message.h"
#include "cmd/nsplit-mount/daemon.h"
#include "io/transfer.h"

/* The signals that ask to stop, which the mount handles. */
static void stopping_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

/* Signals that were ignored when the program was started stay ignored. */
static void restore_default(int signal)
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
		action = (struct sigaction){ .sa_handler = SIG_DFL };
		sigaction(signal, &action, NULL);
	}
}

/* What the parent does from here on; the child serves the mount. */
static void wait_for_child(int fd, const sigset_t *mask)
{
	unsigned char status;
	sigset_t stopping;
	ssize_t got;

	restore_default(SIGHUP);
	restore_default(SIGINT);
	restore_default(SIGTERM);
	sigprocmask(SIG_SETMASK, mask, NULL);
	do
		got = read(fd, &status, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(EXIT_FAILED);
	/* From here on a signal is too late: the answer lets the child continue. */
	stopping_signals(&stopping);
	sigprocmask(SIG_BLOCK, &stopping, NULL);
	transfer_write(fd, &status, 1);
	_exit(status);
}

enum status daemon_begin(int *ready, struct error *e)
{
	sigset_t stopping, mask;
	int ends[2], errnum;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return error_system(e, errno, "socketpair");
	/*
	 * Otherwise the mount's handlers would catch a signal in the parent, which would then
	 * continue.
	 */
	stopping_signals(&stopping);
	sigprocmask(SIG_BLOCK, &stopping, &mask);
	child = fork();
	errnum = errno;
	if (child > 0) {
		close(ends[1]);
		wait_for_child(ends[0], &mask);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (child < 0) {
		close(ends[0]);
		close(ends[1]);
		return error_system(e, errnum, "cannot go into the background");
	}
	close(ends[0]);
	setsid();
	*ready = ends[1];
	return STATUS_OK;
}

/* Leaves the terminal and the directory. */
static void leave(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	/* The file system of a working directory cannot be unmounted. */
	if (chdir("/") < 0)
		message("/: %m");
}

bool daemon_ready(int ready, int exit_status)
{
	unsigned char status = (unsigned char)exit_status;
	bool waited_for;

	leave();
	waited_for = transfer_write(ready, &status, 1) == 1 &&
		     transfer_read(ready, &status, 1) == 1;
	close(ready);
	return waited_for;
}
