// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pipes, character devices, standard input: bytes in the order in which they arrive.
 *
 * One worker at a time has the turn, and reads a whole chunk, so that chunks are in the order of
 * the stream.  It does not hold the lock meanwhile, since it may wait forever for more bytes.  It
 * waits with poll() on the stream and on an eventfd, so that a capture can be stopped while no
 * bytes arrive.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/text.h"
#include "io/source.h"
#include "io/transfer.h"

struct stream {
	pthread_mutex_t lock;
	pthread_cond_t turned;	/* taken or cancelled has changed */
	int wake_fd;		/* eventfd, readable once cancelled */
	/* Under lock: */
	bool taken;		/* a thread has the turn */
	bool cancelled;
	/* Only used by the thread that has the turn, as is source->size: */
	enum status ending;	/* once the stream is over: END, STOPPED or a failure */
	struct error why;	/* of a failure */
};

enum status source_stream_init(struct source *s, struct error *e)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return error_system(e, ENOMEM, "%s", s->name);
	pthread_mutex_init(&stream->lock, NULL);
	pthread_cond_init(&stream->turned, NULL);
	s->state = stream;
	stream->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (stream->wake_fd < 0)
		return error_system(e, errno, "eventfd");
	return STATUS_OK;
}

static void stream_close(struct source *s)
{
	struct stream *stream = s->state;

	if (!stream)
		return;
	if (stream->wake_fd >= 0)
		close(stream->wake_fd);
	pthread_cond_destroy(&stream->turned);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}

static void stream_cancel(struct source *s)
{
	struct stream *stream = s->state;
	uint64_t one = 1;

	pthread_mutex_lock(&stream->lock);
	stream->cancelled = true;
	pthread_cond_broadcast(&stream->turned);
	pthread_mutex_unlock(&stream->lock);
	/* Fails only if the eventfd is readable already. */
	if (write(stream->wake_fd, &one, sizeof(one)) < 0)
		return;
}

static size_t stream_buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	(void)block_size;
	return chunk_size;
}

/* Waits until read() would not block. */
static enum status wait_readable(struct source *s, struct error *e)
{
	struct stream *stream = s->state;
	struct pollfd fds[3] = {
		{ .fd = stream->wake_fd, .events = POLLIN },
		{ .fd = s->fd, .events = POLLIN },
		{ .fd = s->interrupt_fd, .events = POLLIN },
	};

	for (;;) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return error_system(e, errno, "%s", s->name);
		if (fds[0].revents)
			return STATUS_STOPPED;
		if (fds[2].revents)
			s->interrupted(s->interrupted_arg);
		else if (fds[1].revents)
			return STATUS_OK;
	}
}

static enum status fill(struct source_reader *r, size_t want, size_t *got, struct error *e)
{
	struct source *s = r->source;
	enum status status;
	unsigned failed = 0;

	for (*got = 0; *got < want; ) {
		ssize_t n;

		if ((status = wait_readable(s, e)))
			return status;
		n = read(s->fd, r->destination + *got, want - *got);
		if (n < 0 && (errno == EINTR || errno == EAGAIN) && ++failed <= TRANSFER_TRIES)
			continue;
		if (n < 0)
			return error_system(e, errno, "%s: after %" PRIu64 " byte%s", s->name,
					    s->size + *got, plural(s->size + *got));
		if (n == 0)
			return STATUS_END;
		*got += (size_t)n;
		failed = 0;
	}
	return STATUS_OK;
}

/* False: cancelled while another thread had the turn. */
static bool take_turn(struct stream *stream)
{
	bool mine;

	pthread_mutex_lock(&stream->lock);
	while (stream->taken && !stream->cancelled)
		pthread_cond_wait(&stream->turned, &stream->lock);
	mine = !stream->taken;
	stream->taken = true;
	pthread_mutex_unlock(&stream->lock);
	return mine;
}

static void pass_turn(struct stream *stream)
{
	pthread_mutex_lock(&stream->lock);
	stream->taken = false;
	pthread_cond_signal(&stream->turned);
	pthread_mutex_unlock(&stream->lock);
}

static enum status stream_take(struct source_reader *r, size_t want, uint64_t *offset,
			       size_t *got, struct error *e)
{
	struct source *s = r->source;
	struct stream *stream = s->state;
	enum status status;
	double start;

	*got = 0;
	if (!take_turn(stream))
		return STATUS_STOPPED;
	start = clock_seconds();
	*offset = s->size;
	if (!stream->ending && s->size > OFFSET_MAX - want)
		stream->ending = error_set(&stream->why, STATUS_SYSTEM, "%s: too long", s->name);
	if (!stream->ending)
		stream->ending = fill(r, want, got, &stream->why);
	s->size += *got;
	status = stream->ending;
	if (status != STATUS_OK)
		*e = stream->why;
	r->turn = clock_seconds() - start;
	pass_turn(stream);
	/* Bytes before the end are returned first; the next call returns the end or the failure. */
	return *got ? STATUS_OK : status;
}

const struct source_ops source_stream_ops = {
	.buffer_size = stream_buffer_size,
	.take = stream_take,
	.cancel = stream_cancel,
	.close = stream_close,
};
