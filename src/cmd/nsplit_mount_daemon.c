// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cmd/message.h"
#include "cmd/nsplit_mount_daemon.h"
#include "io/transfer.h"

/* The parent's whole life from here on. */
static void wait_for_child(int fd)
{
	unsigned char status;
	ssize_t got;

	do
		got = read(fd, &status, 1);
	while (got < 0 && errno == EINTR);
	_exit(got == 1 ? status : EXIT_FAILED);
}

enum status daemon_begin(int *ready, struct error *e)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_system(e, errno, "pipe");
	child = fork();
	if (child < 0) {
		int errnum = errno;

		close(ends[0]);
		close(ends[1]);
		return error_system(e, errnum, "going into the background");
	}
	if (child) {
		close(ends[1]);
		wait_for_child(ends[0]);
	}
	close(ends[0]);
	setsid();
	*ready = ends[1];
	return STATUS_OK;
}

void daemon_ready(int ready, int exit_status)
{
	unsigned char status = (unsigned char)exit_status;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	/* A directory that somebody stands in cannot be unmounted. */
	if (chdir("/") < 0)
		message("/: %m");
	transfer_write(ready, &status, 1);
	close(ready);
}
