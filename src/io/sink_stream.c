// SPDX-License-Identifier: GPL-2.0-or-later
/* A pipe, a character device, standard output. */
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "io/sink.h"
#include "io/transfer.h"

static enum status stream_append(struct sink *s, const void *bytes, size_t len,
				 struct error *e)
{
	if (transfer_write(s->fd, bytes, len) == len)
		return STATUS_OK;
	return error_system(e, errno, "%s", s->name);
}

static enum status stream_sync(struct sink *s, struct error *e)
{
	/* Standard output may be a file; a pipe has nothing to make safe. */
	if (fsync(s->fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return error_system(e, errno, "%s", s->name);
	return STATUS_OK;
}

const struct sink_ops sink_stream_ops = {
	.append = stream_append,
	.sync = stream_sync,
};
