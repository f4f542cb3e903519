// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "io/line_writer.h"
#include "io/transfer.h"

/* In the ring, the length of a line comes before the line; the size of that length. */
enum { LENGTH_BYTES = 2 };

/* The thread needs one line and little else. */
enum { STACK = 128 * 1024 };

/*
 * Seconds that a line without room waits for another to be written: a file takes lines more slowly
 * than a loop makes them.
 */
static const double GRACE = 0.1;

struct line_writer {
	int fd;
	line_writer_describe *describe;
	bool has_thread;		/* else lines are written by those who put them in */
	pthread_t thread;

	pthread_mutex_t lock;
	pthread_cond_t filled;		/* there is something to write, or ended */
	pthread_cond_t moved;		/* a line was written */

	/* Everything from here on is under lock. */
	unsigned char ring[LINE_WRITER_MEMORY];
	size_t first;			/* where the oldest line begins in the ring */
	size_t used;			/* bytes of the ring */
	unsigned dropped;		/* lines since the last one in the ring */
	char progress[LINE_WRITER_LINE];
	size_t progress_length;		/* 0: none waits */
	bool writing;			/* a line was taken out and is being written */
	bool ended;			/* the thread goes when all is written */
	bool stuck;			/* no line was written for GRACE; none waits until one is */
	bool given_up;			/* a wait for fd was in vain; no other is tried */
};

static void ring_append(struct line_writer *o, const void *bytes, size_t length)
{
	size_t at = (o->first + o->used) % LINE_WRITER_MEMORY;
	size_t before_wrap = min_u64(length, LINE_WRITER_MEMORY - at);

	memcpy(o->ring + at, bytes, before_wrap);
	memcpy(o->ring, (const char *)bytes + before_wrap, length - before_wrap);
	o->used += length;
}

static void ring_take(struct line_writer *o, void *bytes, size_t length)
{
	size_t before_wrap = min_u64(length, LINE_WRITER_MEMORY - o->first);

	memcpy(bytes, o->ring + o->first, before_wrap);
	memcpy((char *)bytes + before_wrap, o->ring, length - before_wrap);
	o->first = (o->first + length) % LINE_WRITER_MEMORY;
	o->used -= length;
}

static bool fits(const struct line_writer *o, size_t length)
{
	return length + LENGTH_BYTES <= LINE_WRITER_MEMORY - o->used;
}

static void append(struct line_writer *o, const char *line, size_t length)
{
	unsigned char header[LENGTH_BYTES] = { length & 0xff, (unsigned char)(length >> 8) };

	ring_append(o, header, sizeof(header));
	ring_append(o, line, length);
}

/* The number of dropped lines, if any, stands where they would have stood, and a line behind it. */
static bool append_with_dropped(struct line_writer *o, const char *line, size_t length)
{
	char told[LINE_WRITER_LINE];
	size_t told_length;

	if (o->dropped) {
		told_length = o->describe(o->dropped, told);
		if (!fits(o, told_length + LENGTH_BYTES + length))
			return false;
		append(o, told, told_length);
		o->dropped = 0;
	}
	if (!fits(o, length))
		return false;
	append(o, line, length);
	return true;
}

/* The next line to write, at most LINE_WRITER_LINE bytes; returns its length, 0: there is none. */
static size_t take_next(struct line_writer *o, char *line)
{
	size_t length = 0;

	if (!o->used && o->dropped) {
		length = o->describe(o->dropped, line);
		o->dropped = 0;
	} else if (o->used) {
		unsigned char header[LENGTH_BYTES];

		ring_take(o, header, sizeof(header));
		length = (size_t)header[0] | (size_t)header[1] << 8;
		ring_take(o, line, length);
	} else if (o->progress_length) {
		length = o->progress_length;
		memcpy(line, o->progress, length);
		o->progress_length = 0;
	}
	return length;
}

/* Lets go of the lock meanwhile.  A line that fails has nowhere else to go. */
static void write_line(struct line_writer *o, const char *line, size_t length)
{
	o->writing = true;
	pthread_mutex_unlock(&o->lock);
	transfer_write(o->fd, line, length);
	pthread_mutex_lock(&o->lock);
	o->writing = false;
	o->stuck = false;
	pthread_cond_broadcast(&o->moved);
}

static void *thread_main(void *arg)
{
	struct line_writer *o = arg;
	char line[LINE_WRITER_LINE] = "";

	pthread_mutex_lock(&o->lock);
	for (;;) {
		size_t length = take_next(o, line);

		if (length)
			write_line(o, line, length);
		else if (o->ended)
			break;
		else
			pthread_cond_wait(&o->filled, &o->lock);
	}
	pthread_mutex_unlock(&o->lock);
	return NULL;
}

/* poll() is true as well of a descriptor that only fails. */
static bool takes_more(int fd, int milliseconds)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, milliseconds) > 0;
}

/* Without a thread.  Who finds another at it leaves the line to that one. */
static void write_what_is_taken(struct line_writer *o)
{
	char line[LINE_WRITER_LINE];
	size_t length;

	while (!o->writing && takes_more(o->fd, 0) && (length = take_next(o, line)))
		write_line(o, line, length);
}

static void see_to_it(struct line_writer *o)
{
	if (o->has_thread)
		pthread_cond_signal(&o->filled);
	else
		write_what_is_taken(o);
}

/* Waits for one more line to be written, until then at most. */
static bool one_is_written(struct line_writer *o, double until)
{
	struct timespec deadline = clock_timespec(until);

	if (o->has_thread)
		return pthread_cond_timedwait(&o->moved, &o->lock, &deadline) == 0;
	pthread_mutex_unlock(&o->lock);
	takes_more(o->fd, (int)((until - clock_seconds()) * 1000));
	pthread_mutex_lock(&o->lock);
	write_what_is_taken(o);
	return clock_seconds() < until;
}

void line_writer_put(struct line_writer *o, const char *line, size_t length)
{
	pthread_mutex_lock(&o->lock);
	while (!append_with_dropped(o, line, min_u64(length, LINE_WRITER_LINE))) {
		o->stuck = o->stuck || !one_is_written(o, clock_seconds() + GRACE);
		if (o->stuck) {
			o->dropped++;
			break;
		}
	}
	see_to_it(o);
	pthread_mutex_unlock(&o->lock);
}

void line_writer_put_progress(struct line_writer *o, const char *line, size_t length)
{
	pthread_mutex_lock(&o->lock);
	o->progress_length = min_u64(length, LINE_WRITER_LINE);
	memcpy(o->progress, line, o->progress_length);
	see_to_it(o);
	pthread_mutex_unlock(&o->lock);
}

static bool is_drained(const struct line_writer *o)
{
	return !o->used && !o->dropped && !o->progress_length && !o->writing;
}

bool line_writer_drain(struct line_writer *o)
{
	double last = clock_seconds() + OUTBOX_PATIENCE_MAX;
	bool drained;

	pthread_mutex_lock(&o->lock);
	while (!is_drained(o) && !o->given_up) {
		double now = clock_seconds();

		o->given_up = now >= last || !one_is_written(o, now + OUTBOX_PATIENCE);
	}
	drained = is_drained(o);
	pthread_mutex_unlock(&o->lock);
	return drained;
}

static void line_writer_free(struct line_writer *o)
{
	pthread_cond_destroy(&o->moved);
	pthread_cond_destroy(&o->filled);
	pthread_mutex_destroy(&o->lock);
	free(o);
}

bool line_writer_end(struct line_writer *o)
{
	if (!line_writer_drain(o))
		return false;
	if (o->has_thread) {
		pthread_mutex_lock(&o->lock);
		o->ended = true;
		pthread_cond_signal(&o->filled);
		pthread_mutex_unlock(&o->lock);
		pthread_join(o->thread, NULL);
	}
	line_writer_free(o);
	return true;
}

/* With all signals blocked: they are for the thread that watches. */
static bool start_thread(struct line_writer *o)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int failed;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&o->thread, &attr, thread_main, o);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return !failed;
}

struct line_writer *line_writer_new(int fd, bool thread, line_writer_describe *describe)
{
	struct line_writer *o = calloc(1, sizeof(*o));
	pthread_condattr_t attr;

	if (!o)
		return NULL;
	memory_touch(o, sizeof(*o));
	o->fd = fd;
	o->describe = describe;
	pthread_mutex_init(&o->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&o->filled, NULL);
	pthread_cond_init(&o->moved, &attr);
	pthread_condattr_destroy(&attr);
	/* The thread reads it, but not before it has the lock. */
	pthread_mutex_lock(&o->lock);
	o->has_thread = thread && start_thread(o);
	pthread_mutex_unlock(&o->lock);
	return o;
}
