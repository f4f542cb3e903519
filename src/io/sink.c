// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alignment.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "io/existing.h"
#include "io/path.h"
#include "io/sink_look.h"

/* --- the speed of an emulated disk --------------------------------------- */

/* A sleep that is longer by more than this, in seconds, is not compensated. */
static const double LATE_MAX = 0.05;

void throttle_start(struct throttle *t, uint64_t rate)
{
	*t = (struct throttle){ .rate = (double)rate, .paid = clock_seconds() };
}

void throttle_change(struct throttle *t, double seconds, uint64_t rate)
{
	t->later = clock_seconds() + seconds;
	t->later_rate = (double)rate;
}

void throttle_begin(struct throttle *t)
{
	t->began = clock_seconds();
	if (t->later_rate > 0 && t->began >= t->later) {
		t->rate = t->later_rate;
		t->later_rate = 0;
	}
}

void throttle_take(struct throttle *t, size_t bytes)
{
	double now;

	if (t->paid < t->began - t->late)
		t->paid = t->began - t->late;
	t->late = 0;
	t->paid += (double)bytes / t->rate;
	if (clock_seconds() >= t->paid)
		return;
	clock_sleep_until(t->paid);
	now = clock_seconds();
	t->late = now - t->paid < LATE_MAX ? now - t->paid : LATE_MAX;
}

/* --- sinks --------------------------------------------------------------- */

/* The length of USER@HOST in a name that scp and rsync take for USER@HOST:FILE; 0: it is a local name. */
static int host_length(const char *name)
{
	size_t length = strcspn(name, ":/");

	return name[length] == ':' && name[length + 1] && memchr(name, '@', length) ? (int)length : 0;
}

enum status sink_creation_error(const struct sink *s, int errnum, struct error *e)
{
	int host = host_length(s->name);

	path_creation_error(e, errnum, s->name);
	if (errnum != ENOENT || !host)
		return e->status;
	return error_suffix(e, "; for a file on another machine, use '|ssh %.*s \"umask 077; cat > %s\"'",
			    host, s->name, s->name + host + 1);
}

enum status sink_check_identity(struct sink *s, struct error *e)
{
	struct identity now;
	struct stat st;

	if (fstat(s->fd, &st) < 0)
		return error_system(e, errno, "%s", s->name);
	now = identity_of(&st);
	if (s->created) {
		/* Its owner is not checked: some file systems choose another one (NFS: nobody). */
		s->identity = now;
		return STATUS_OK;
	}
	if (!identity_equal(&now, &s->identity))
		return error_set(e, STATUS_USAGE, "%s: was replaced while it was being opened",
				 s->name);
	if (s->is_stdout || (s->permits & PERMIT_ANY_OWNER))
		return STATUS_OK;
	return owner_refuse(&st, s->name, e);
}

enum status sink_open(struct sink *s, struct error *e)
{
	enum status status = s->ops->open ? s->ops->open(s, e) : STATUS_OK;
	struct error ignored;

	if (status)
		sink_discard(s, &ignored);
	return status;
}

size_t sink_memory(const struct sink *s)
{
	return s->ops->memory;
}

bool sink_takes_now(const struct sink *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLOUT };

	/* A writable pipe has space for PIPE_BUF bytes: pipe(7). */
	_Static_assert(ALIGNMENT <= PIPE_BUF, "a unit is written to a pipe in one piece");
	return s->kind != SINK_STREAM || poll(&p, 1, 0) != 0;
}

enum status sink_append(struct sink *s, const void *bytes, size_t len, struct error *e)
{
	enum status status;

	if (s->throttle)
		throttle_begin(s->throttle);
	status = s->ops->append(s, bytes, len, e);
	if (status)
		return status;
	s->writes++;
	if (!s->length)
		memcpy(s->head, bytes, SINK_HEAD);
	s->longest = max_u64(s->longest, len);
	s->length += len;
	s->reserved = 0;
	if (s->throttle)
		throttle_take(s->throttle, len);
	return STATUS_OK;
}

static bool extend(struct sink *s, uint64_t len, enum sink_zeros how)
{
	if (!s->ops->extend || !s->length || (len && !s->ops->extend(s, len, how)))
		return false;
	s->length += len;
	s->extended = s->length;
	return true;
}

bool sink_extend(struct sink *s, uint64_t len)
{
	return extend(s, len, SINK_HOLE);
}

enum status sink_append_zeros(struct sink *s, uint64_t len, struct error *e)
{
	static const uint8_t zeros[64 * 1024] __attribute__((aligned(ALIGNMENT)));
	enum status status = STATUS_OK;

	if (extend(s, len, SINK_ALLOCATED))
		return STATUS_OK;
	while (len && !status) {
		size_t some = min_u64(len, sizeof(zeros));

		status = sink_append(s, zeros, some, e);
		len -= some;
	}
	return status;
}

bool sink_writes_anywhere(const struct sink *s)
{
	return s->ops->write_at;
}

enum status sink_write_at(struct sink *s, const void *bytes, size_t len, uint64_t offset, struct error *e)
{
	assert(offset >= SINK_HEAD && offset + len <= s->length);
	s->writes++;
	return s->ops->write_at(s, bytes, len, offset, e);
}

/*
 * Finds errors that the file system (NFS, FUSE) reports at close() now, when the data can still be
 * written elsewhere: it reports them at the close of every descriptor, not only of the last.
 */
static bool close_would_succeed(const struct sink *s)
{
	/* Not dup(): a command that another thread is starting would inherit the descriptor. */
	int fd = s->fd < 0 ? -1 : fcntl(s->fd, F_DUPFD_CLOEXEC, 0);

	/* Too many open files: no error of the output. */
	return fd < 0 || close(fd) == 0 || errno == EINTR;
}

enum status sink_sync(struct sink *s, struct error *e)
{
	enum status status = s->ops->sync(s, e);

	if (!status && !close_would_succeed(s))
		status = error_system(e, errno, "%s", s->name);
	s->broken |= status != STATUS_OK;
	return status;
}

enum status sink_write_last(struct sink *s, const void *bytes, size_t len, struct error *e)
{
	if (!s->ops->write_last)
		return STATUS_OK;
	return s->ops->write_last(s, bytes, len, e);
}

bool sink_rewinds(const struct sink *s)
{
	return s->ops->truncate;
}

void sink_rewind(struct sink *s, uint64_t length)
{
	s->length = length;
	s->reserved = 0;
	s->sent = s->sent < length ? s->sent : length;
}

enum status sink_reserve(struct sink *s, const void *bytes, size_t len, struct error *e)
{
	enum status status = s->ops->append(s, bytes, len, e);

	if (!status)
		s->reserved = len;
	return status;
}

enum status sink_truncate(struct sink *s, struct error *e)
{
	return s->ops->truncate(s, e);
}

enum status sink_read(struct sink *s, void *bytes, size_t len, uint64_t offset,
		      struct error *e)
{
	return s->ops->read(s, bytes, len, offset, e);
}

uint64_t sink_space_left(const struct sink *s)
{
	return s->ops->space_left ? s->ops->space_left(s) : UINT64_MAX;
}

bool sink_is_full(const struct sink *s, const struct error *e)
{
	return sink_rewinds(s) && !s->broken &&
	       (e->errnum == ENOSPC || e->errnum == EDQUOT || e->errnum == EFBIG);
}

bool sink_ends(const struct sink *s)
{
	return s->ops->finish;
}

enum status sink_finish(struct sink *s, struct error *e)
{
	return s->ops->finish(s, e);
}

void sink_abandon(struct sink *s)
{
	if (s->ops->abandon)
		s->ops->abandon(s);
}

enum status sink_close(struct sink *s, struct error *e)
{
	int fd = s->fd;

	if (s->ops->drop && fd >= 0)
		s->ops->drop(s);
	s->fd = -1;
	/* On Linux, the descriptor is closed even if close() returns EINTR. */
	if (fd >= 0 && close(fd) < 0 && errno != EINTR)
		return error_system(e, errno, "%s", s->name);
	return STATUS_OK;
}

enum status sink_discard(struct sink *s, struct error *e)
{
	enum status status = STATUS_OK;
	struct error ignored;

	/* While it is locked: afterwards, the file may be that of another process. */
	if (s->created && sink_is_at_name(s) && unlink(s->name) < 0 && errno != ENOENT)
		status = error_system(e, errno, "%s: could not be removed", s->name);
	s->created = false;
	/* The failure that led here has been reported already. */
	sink_close(s, &ignored);
	return status;
}

void sink_free(struct sink *s)
{
	struct error ignored;

	if (!s->ops)
		return;
	sink_close(s, &ignored);
	if (s->ops->free)
		s->ops->free(s);
	free(s->name);
	s->name = NULL;
}
