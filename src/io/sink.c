// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "io/sink.h"
#include "io/transfer.h"

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

static void throttle_begin(struct throttle *t)
{
	t->began = clock_seconds();
	if (t->later_rate > 0 && t->began >= t->later) {
		t->rate = t->later_rate;
		t->later_rate = 0;
	}
}

/* Called after each write: waits until the emulated disk would have written the bytes. */
static void throttle_take(struct throttle *t, size_t bytes)
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

enum status sink_creation_error(const struct sink *s, int errnum, struct error *e)
{
	const char *host = s->name;
	int length = (int)strcspn(host, ":/");
	bool ssh = !strncmp(host, "ssh://", 6) || !strncmp(host, "sftp://", 7) || !strncmp(host, "scp://", 6);

	path_creation_error(e, errnum, s->name);
	/* HOST:FILE as for scp and NFS, or a URL; others are local names, such as those with a time of day. */
	if (errnum != ENOENT || host[length] != ':' || !host[length + 1] || strchr("0123456789", host[length + 1]))
		return e->status;
	if (!strncmp(host, "s3://", 5) || !strncmp(host, "gs://", 5))
		return error_suffix(e, "; for object storage, use '|rclone rcat %.2s:%s'", host, host + 5);
	if (!strncmp(host + length, "://", 3)) {
		host += length + 3;
		length = (int)strcspn(host, "/");
		if (!ssh || !host[length])
			return e->status;
	}
	/* As a URL, the host may have a port. */
	return error_suffix(e, "; for a file on another machine, use '|ssh %s%.*s \"umask 077; cat > %s\"'",
			    ssh ? "ssh://" : "", length, host, host + length + !ssh);
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
	enum status status = s->ops->sync ? s->ops->sync(s, e) : STATUS_OK;

	if (!status && !close_would_succeed(s))
		status = error_system(e, errno, "%s", s->name);
	s->broken |= status != STATUS_OK;
	return status;
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

bool sink_is_full(const struct sink *s, const struct error *e)
{
	return sink_rewinds(s) && !s->broken &&
	       (e->errnum == ENOSPC || e->errnum == EDQUOT || e->errnum == EFBIG);
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

/* The file that the output's name leads to.  False, with errno: none. */
static bool find_by_name(const struct sink *s, struct identity *found)
{
	struct stat st;

	if (stat(s->name, &st) < 0)
		return false;
	*found = identity_of(&st);
	return true;
}

static bool is_at_name(const struct sink *s)
{
	struct identity found;

	return find_by_name(s, &found) && identity_equal(&found, &s->identity);
}

enum status sink_discard(struct sink *s, struct error *e)
{
	enum status status = STATUS_OK;
	struct error ignored;

	/* While it is locked: afterwards, the file may be that of another process. */
	if (s->created && is_at_name(s) && unlink(s->name) < 0 && errno != ENOENT)
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

/* --- whether an output still is as it was written ------------------------ */

/*
 * The first bytes are compared, and the size.  Not noticed: a file that was truncated behind them and has grown again
 * with the next append, and bytes that are overwritten elsewhere.
 */

/* NFS and FUSE rename a file that is removed while it is open, and remove it when it is closed. */
static bool has_hidden_name(int fd)
{
	char link[32], target[PATH_MAX];
	const char *base;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	base = path_base(target);
	return strncmp(base, ".nfs", 4) == 0 || strncmp(base, ".fuse_hidden", 12) == 0;
}

/*
 * Some file systems report no links of any file, and some another number of the same file each time, so only
 * a file whose name finds nothing, or twice the same other file, is removed.
 */
static bool name_is_lost(const struct sink *s)
{
	struct identity first, again;

	if (!find_by_name(s, &first) || !find_by_name(s, &again))
		return errno == ENOENT;
	return identity_equal(&first, &again);
}

bool sink_is_removed(const struct sink *s)
{
	struct stat st;

	return s->kind == SINK_FILE && !is_at_name(s) && name_is_lost(s) &&
	       ((fstat(s->fd, &st) == 0 && !st.st_nlink) || has_hidden_name(s->fd));
}

/* After EIO, the output fails while its data can still be read from the source again. */
static enum status look_at_head(struct sink *s, struct error *e)
{
	uint8_t found[SINK_HEAD];
	enum status status = sink_read(s, found, SINK_HEAD, 0, e);

	if (status)
		return e->errnum == EIO ? status : STATUS_OK;
	if (memcmp(found, s->head, SINK_HEAD) != 0)
		return error_set(e, STATUS_SYSTEM, "%s: was overwritten during the capture", s->name);
	return STATUS_OK;
}

/* False, too, if they cannot be read, which says nothing about what was written. */
static bool reads_as_zeros(struct sink *s, uint64_t offset)
{
	uint8_t found[SINK_HEAD];
	struct error ignored;

	return !sink_read(s, found, SINK_HEAD, offset, &ignored) && bytes_are_zero(found, SINK_HEAD);
}

static enum status look_at_file(struct sink *s, uint64_t size, struct error *e)
{
	s->moved = !is_at_name(s);
	if (sink_is_removed(s))
		return error_set(e, STATUS_SYSTEM, "%s: was removed during the capture", s->name);
	/* Some file systems report a new size, which is a multiple of ALIGNMENT, only when the file is closed. */
	if (size < s->length && (size < s->extended || size % ALIGNMENT || reads_as_zeros(s, size)))
		return error_set(e, STATUS_SYSTEM, "%s: was truncated to %" PRIu64 " bytes during the "
				 "capture", s->name, size);
	return STATUS_OK;
}

enum status sink_look(struct sink *s, uint64_t size, struct error *e)
{
	enum status status = s->kind == SINK_FILE ? look_at_file(s, size, e) : STATUS_OK;

	return !status && s->length ? look_at_head(s, e) : status;
}

/* --- null: --------------------------------------------------------------- */

/* Discards everything: the smallest sink, and a way to measure a capture without any output. */

static enum status null_append(struct sink *s, const void *bytes, size_t len, struct error *e)
{
	(void)s, (void)bytes, (void)len, (void)e;
	return STATUS_OK;
}

const struct sink_ops sink_null_ops = {
	.append = null_append,
};

/* --- pipes, character devices, standard output --------------------------- */

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
