// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread_pool.h"
#include "io/transfer.h"
#include "set/spool.h"

enum { SPOOL_PIECE = 256 * 1024, PIPE_SIZE = 1 << 20, SPOOL_STACK = 64 * 1024 };

struct spool {
	struct aside_list *list;
	const struct set_settings *settings;
	atomic_uint next;		/* the job to be taken next */
	atomic_ullong copied;		/* bytes */
	atomic_bool failed;		/* a write */
	int wake_fd;			/* eventfd, readable then; -1: none */
};

/* A new file without a name.  Some file systems, such as NFS, have no files without a name from the beginning. */
static int create(const char *directory)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char name[PATH_MAX];

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if (snprintf(name, sizeof(name), "%s/.njoin-XXXXXX", directory) >= (int)sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

/*
 * The others must not wait for their senders, which may wait for this one's reader.  errno is why no copy
 * is possible.
 */
static enum status give_up(struct spool *s, const struct member *m, struct error *e)
{
	error_system(e, errno, "%s: no temporary copy of %s%s", s->settings->spool,
		     m->superblock.block_size ? "the member " : "", m->name);
	s->failed = true;
	eventfd_write(s->wake_fd, 1);
	return e->status;
}

/*
 * Copies the bytes of a pipe once instead of twice, as long as that succeeds.  Reading and writing the rest finds out what
 * has failed, and works for a stream that is not a pipe.
 */
static void move(struct spool *s, struct member *m, int fd)
{
	ssize_t n = 1;

	fcntl(m->fd, F_SETPIPE_SZ, PIPE_SIZE);
	while (n > 0 && !s->failed && transfer_wait(m->fd, s->wake_fd)) {
		off_t at = (off_t)m->size;

		n = splice(m->fd, NULL, fd, &at, PIPE_SIZE, SPLICE_F_NONBLOCK);
		if (n > 0) {
			m->size += (uint64_t)n;
			s->copied += (uint64_t)n;
		}
	}
}

static enum status copy(struct spool *s, struct aside_member *job, int fd, uint8_t *piece)
{
	struct member *m = &job->member;
	size_t got;

	move(s, m, fd);
	do {
		int errnum;

		got = transfer_read_until(m->fd, piece, SPOOL_PIECE, s->wake_fd);
		errnum = got < SPOOL_PIECE ? errno : 0;
		if (s->failed)
			return STATUS_STOPPED;
		if (transfer_pwrite(fd, piece, got, m->size) < got)
			return give_up(s, m, &job->why);
		m->size += got;
		s->copied += got;
		if (errnum) {
			job->kept = true;
			return error_system(&job->why, errnum, "%s: at byte %" PRIu64, m->name,
					    m->size);
		}
	} while (got == SPOOL_PIECE);
	job->kept = true;
	return STATUS_OK;
}

static void work(void *arg, unsigned number)
{
	struct spool *s = arg;
	unsigned i;

	(void)number;
	while ((i = atomic_fetch_add(&s->next, 1)) < s->list->count) {
		struct aside_member *job = &s->list->all[i];
		struct member *m = &job->member;
		uint8_t *piece = malloc(SPOOL_PIECE);
		int fd = piece ? create(s->settings->spool) : -1;

		job->why.status = fd < 0 ? give_up(s, m, &job->why) : copy(s, job, fd, piece);
		free(piece);
		if (job->kept) {
			close(m->fd);
			m->fd = fd;
			m->is_stream = false;
			m->is_copy = true;
		} else if (fd >= 0) {
			close(fd);
		}
	}
}

static void tick(void *arg)
{
	const struct spool *s = arg;
	const struct salvage_watch *watch = &s->settings->watch;

	if (watch->spooling)
		watch->spooling(watch->arg, s->copied);
}

void spool_run(struct aside_list *list, const struct set_settings *settings)
{
	struct spool s = {
		.list = list, .settings = settings, .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	struct thread_pool pool = {
		.count = list->count,
		.stack = SPOOL_STACK,
		.work = work,
		.arg = &s,
	};
	const struct watch watch = {
		.fd = -1,
		.interval = settings->watch.spooling ? settings->watch.interval : 60,
		.tick = tick,
		.arg = &s,
	};
	struct error e;

	/* If the threads cannot be created, one stream is read after the other. */
	if (thread_pool_run(&pool, &watch, &e))
		work(&s, 0);
	tick(&s);
	if (s.wake_fd >= 0)
		close(s.wake_fd);
}

/* --- dumps ----------------------------------------------------------------- */

enum { PATIENCE = 20 * 1000 };	/* microseconds */

/* Waits until a pipe has this many bytes, or its writer has gone. */
static void wait_for_bytes(int fd, int bytes)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int there = 0;

	while (poll(&p, 1, -1) >= 0 || errno == EINTR) {
		if (p.revents & (POLLHUP | POLLERR) || ioctl(fd, FIONREAD, &there) < 0 || there >= bytes)
			return;
		usleep(PATIENCE);
	}
}

/* Copies the first bytes of a pipe without taking them. */
static bool peek_pipe(int fd, uint8_t signature[DUMP_SIGNATURE])
{
	int copy[2];
	bool there = false;

	if (pipe2(copy, O_CLOEXEC) < 0)
		return false;
	wait_for_bytes(fd, DUMP_SIGNATURE);
	if (tee(fd, copy[1], DUMP_SIGNATURE, SPLICE_F_NONBLOCK) == DUMP_SIGNATURE)
		there = transfer_read(copy[0], signature, DUMP_SIGNATURE) == DUMP_SIGNATURE;
	close(copy[0]);
	close(copy[1]);
	return there;
}

/* Can any byte be read at any time?  kdumpctl of Fedora gives makedumpfile -R a device as standard input. */
static bool is_file_or_device(const struct stat *st)
{
	return S_ISREG(st->st_mode) || S_ISBLK(st->st_mode);
}

enum dump_form dump_stream_recognise(const char *name, int *fd)
{
	uint8_t signature[DUMP_SIGNATURE];
	struct stat st;
	bool there = false;

	*fd = -1;
	/* A named pipe that was opened and closed again would end its writer. */
	if (strcmp(name, "-") != 0)
		return DUMP_NONE;
	*fd = dup(STDIN_FILENO);
	if (*fd < 0 || fstat(*fd, &st) < 0)
		return DUMP_NONE;
	if (S_ISFIFO(st.st_mode))
		there = peek_pipe(*fd, signature);
	else if (is_file_or_device(&st))
		there = transfer_pread(*fd, signature, sizeof(signature), (uint64_t)lseek(*fd, 0, SEEK_CUR)) ==
			sizeof(signature);
	return there ? dump_form_of(signature) : DUMP_NONE;
}

/* Its first byte must be the next one. */
static bool is_whole_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && is_file_or_device(&st) && lseek(fd, 0, SEEK_CUR) == 0;
}

enum status dump_stream_open(struct dump_file *f, enum dump_form form, int fd, const struct set_settings *settings,
			     struct error *e)
{
	char name[] = "standard input";
	struct aside_member job = { .member = { .name = name, .fd = fd, .is_stream = true } };
	struct aside_list list = { .all = &job, .count = 1 };

	if (is_whole_file(fd))
		return dump_file_take(f, name, fd, form, e);
	spool_run(&list, settings);
	if (!job.why.status)
		return dump_file_take(f, name, job.member.fd, form, e);
	close(job.member.fd);
	*f = (struct dump_file){ .fd = -1 };
	*e = job.why;
	return e->status;
}
