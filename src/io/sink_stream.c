// SPDX-License-Identifier: GPL-2.0-or-later
/* Pipes, character devices, standard output. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/sink_kinds.h"
#include "io/transfer.h"

enum { POLL_INTERVAL = 20000 };	/* microseconds, while a named pipe has no reader */

/*
 * Opens a named pipe, with O_NONBLOCK so that open() fails (ENXIO) instead of waiting without limit
 * for a reader.  False, with errno: ETIMEDOUT if there was no reader for s->patience seconds.
 */
static bool open_pipe(struct sink *s)
{
	double until = clock_seconds() + s->patience;

	while ((s->fd = open(s->name, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 &&
	       (errno == ENXIO || errno == EINTR)) {
		if (s->patience > 0 && clock_seconds() >= until) {
			errno = ETIMEDOUT;
			return false;
		}
		usleep(POLL_INTERVAL);
	}
	return s->fd >= 0 && fcntl(s->fd, F_SETFL, O_WRONLY) == 0;
}

static enum status stream_open(struct sink *s, struct error *e)
{
	bool is_pipe = !s->is_stdout && S_ISFIFO(s->identity.type), opened;

	if (is_pipe) {
		opened = open_pipe(s);
	} else {
		s->fd = s->is_stdout ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
				     : open(s->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		opened = s->fd >= 0;
	}
	if (opened)
		return sink_check_identity(s, e);
	if (errno == ETIMEDOUT && s->fd < 0 && is_pipe)
		return error_set(e, STATUS_SYSTEM, "%s: no reader for %g s", s->name, s->patience);
	return error_system(e, errno, "%s", s->name);
}

static enum status stream_append(struct sink *s, const void *bytes, size_t len,
				 struct error *e)
{
	size_t done = transfer_write(s->fd, bytes, len);

	s->reached = s->length + done;
	if (done == len)
		return STATUS_OK;
	return error_system(e, errno, "%s", s->name);
}

static enum status stream_sync(struct sink *s, struct error *e)
{
	/* Standard output may be a file; for a pipe, fsync() fails with EINVAL. */
	if (fsync(s->fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return error_system(e, errno, "%s", s->name);
	return STATUS_OK;
}

const struct sink_ops sink_stream_ops = {
	.open = stream_open,
	.append = stream_append,
	.sync = stream_sync,
};
