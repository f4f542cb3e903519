// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "io/line_writer.h"
#include "io/transfer.h"

/* Bytes of a line's length. */
enum { LENGTH_BYTES = 2 };

/* The thread needs memory for one line and little else; bytes. */
enum { STACK = 128 * 1024 };

/*
 * Seconds that a line that does not fit waits until another has been written: a loop can put lines
 * faster than a file accepts them.
 */
static const double LINE_PATIENCE = 0.1;

struct line_writer {
	int fd;
	line_writer_describe *describe;
	pthread_t thread;

	pthread_mutex_t lock;
	pthread_cond_t filled;		/* a line was put, or ended */
	pthread_cond_t moved;		/* a line was written */

	/* Under lock: */
	uint8_t waiting[LINE_WRITER_MEMORY];	/* lines, the oldest first, each with its length before it */
	size_t used;			/* bytes of them */
	unsigned dropped;		/* lines dropped since the last one that waits */
	char progress[LINE_WRITER_LINE];
	size_t progress_length;		/* 0: no progress line waits */
	bool writing;			/* a line was taken and is being written */
	bool ended;			/* the thread returns once all lines are written */
	bool stuck;			/* no line was written for LINE_PATIENCE: do not wait */
	bool given_up;			/* line_writer_drain() timed out; it does not wait again */
};

static bool fits(const struct line_writer *w, size_t length)
{
	return length + LENGTH_BYTES <= LINE_WRITER_MEMORY - w->used;
}

static void append(struct line_writer *w, const char *line, size_t length)
{
	put_le16(w->waiting + w->used, (uint16_t)length);
	memcpy(w->waiting + w->used + LENGTH_BYTES, line, length);
	w->used += LENGTH_BYTES + length;
}

/* Appends a line, after the number of dropped lines if there are any.  False: does not fit. */
static bool append_with_dropped(struct line_writer *w, const char *line, size_t length)
{
	char report[LINE_WRITER_LINE];
	size_t report_length;

	if (w->dropped) {
		report_length = w->describe(w->dropped, report);
		if (!fits(w, report_length + LENGTH_BYTES + length))
			return false;
		append(w, report, report_length);
		w->dropped = 0;
	}
	if (!fits(w, length))
		return false;
	append(w, line, length);
	return true;
}

/* Copies the next line to write into line, of LINE_WRITER_LINE bytes.  Returns its length or 0. */
static size_t take_next(struct line_writer *w, char *line)
{
	size_t length = 0;

	if (!w->used && w->dropped) {
		length = w->describe(w->dropped, line);
		w->dropped = 0;
	} else if (w->used) {
		length = get_le16(w->waiting);
		memcpy(line, w->waiting + LENGTH_BYTES, length);
		w->used -= LENGTH_BYTES + length;
		memmove(w->waiting, w->waiting + LENGTH_BYTES + length, w->used);
	} else if (w->progress_length) {
		length = w->progress_length;
		memcpy(line, w->progress, length);
		w->progress_length = 0;
	}
	return length;
}

/* Releases the lock meanwhile.  A line whose write fails is lost. */
static void write_line(struct line_writer *w, const char *line, size_t length)
{
	w->writing = true;
	pthread_mutex_unlock(&w->lock);
	transfer_write(w->fd, line, length);
	pthread_mutex_lock(&w->lock);
	w->writing = false;
	w->stuck = false;
	pthread_cond_broadcast(&w->moved);
}

static void *thread_main(void *arg)
{
	struct line_writer *w = arg;
	char line[LINE_WRITER_LINE] = "";

	pthread_mutex_lock(&w->lock);
	for (;;) {
		size_t length = take_next(w, line);

		if (length)
			write_line(w, line, length);
		else if (w->ended)
			break;
		else
			pthread_cond_wait(&w->filled, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Waits until one more line is written; false: not by the time given. */
static bool wait_for_line(struct line_writer *w, double until)
{
	struct timespec deadline = clock_timespec(until);

	return pthread_cond_timedwait(&w->moved, &w->lock, &deadline) == 0;
}

void line_writer_put(struct line_writer *w, const char *line, size_t length)
{
	pthread_mutex_lock(&w->lock);
	while (!append_with_dropped(w, line, min_u64(length, LINE_WRITER_LINE))) {
		w->stuck = w->stuck || !wait_for_line(w, clock_seconds() + LINE_PATIENCE);
		if (w->stuck) {
			w->dropped++;
			break;
		}
	}
	pthread_cond_signal(&w->filled);
	pthread_mutex_unlock(&w->lock);
}

void line_writer_put_progress(struct line_writer *w, const char *line, size_t length)
{
	pthread_mutex_lock(&w->lock);
	w->progress_length = min_u64(length, LINE_WRITER_LINE);
	memcpy(w->progress, line, w->progress_length);
	pthread_cond_signal(&w->filled);
	pthread_mutex_unlock(&w->lock);
}

static bool is_drained(const struct line_writer *w)
{
	return !w->used && !w->dropped && !w->progress_length && !w->writing;
}

bool line_writer_drain(struct line_writer *w)
{
	double last = clock_seconds() + LINE_WRITER_PATIENCE_MAX;
	bool drained;

	pthread_mutex_lock(&w->lock);
	while (!is_drained(w) && !w->given_up) {
		double now = clock_seconds();

		w->given_up = now >= last || !wait_for_line(w, now + LINE_WRITER_PATIENCE);
	}
	drained = is_drained(w);
	pthread_mutex_unlock(&w->lock);
	return drained;
}

static void line_writer_free(struct line_writer *w)
{
	pthread_cond_destroy(&w->moved);
	pthread_cond_destroy(&w->filled);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

bool line_writer_end(struct line_writer *w)
{
	if (!line_writer_drain(w))
		return false;
	pthread_mutex_lock(&w->lock);
	w->ended = true;
	pthread_cond_signal(&w->filled);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	line_writer_free(w);
	return true;
}

struct line_writer *line_writer_new(int fd, line_writer_describe *describe)
{
	struct line_writer *w = calloc(1, sizeof(*w));
	pthread_condattr_t attr;

	if (!w)
		return NULL;
	memory_touch(w, sizeof(*w));
	w->fd = fd;
	w->describe = describe;
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->filled, NULL);
	pthread_cond_init(&w->moved, &attr);
	pthread_condattr_destroy(&attr);
	if (!thread_start(&w->thread, STACK, thread_main, w))
		return w;
	line_writer_free(w);
	return NULL;
}
