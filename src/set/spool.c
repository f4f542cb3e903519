// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/thread_pool.h"
#include "io/transfer.h"
#include "set/spool.h"

enum { SPOOL_PIECE = 256 * 1024, SPOOL_STACK = 64 * 1024 };

struct spool {
	struct spool_list *list;
	const struct set_settings *settings;
	atomic_uint next;		/* the job to be taken next */
	atomic_ullong copied;		/* bytes */
	atomic_bool failed;		/* a write */
	int wake_fd;			/* eventfd, readable then; -1: none */
};

enum status spool_add(struct spool_list *list, struct member *m, struct error *e)
{
	if (!array_grow(&list->jobs, list->count, sizeof(*list->jobs)))
		return error_system(e, ENOMEM, "%u members", list->count + 1);
	list->jobs[list->count++] = (struct spool_job){ .member = *m };
	*m = (struct member){ .fd = -1 };
	return STATUS_OK;
}

void spool_free(struct spool_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		member_close(&list->jobs[i].member);
	free(list->jobs);
}

int spool_create(const char *directory)
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
	uint64_t one = 1;

	error_system(e, errno, "%s: no temporary copy of the member %s", s->settings->spool, m->name);
	s->failed = true;
	/* The write fails only if the eventfd is already readable. */
	if (s->wake_fd >= 0 && write(s->wake_fd, &one, sizeof(one)) < 0)
		return e->status;
	return e->status;
}

/* The superblock is not needed again, so a hole takes its place. */
static enum status copy(struct spool *s, struct spool_job *job, int fd, uint8_t *piece)
{
	struct member *m = &job->member;
	size_t got;

	m->size = SUPERBLOCK_LENGTH;
	do {
		int errnum;

		got = transfer_read_until(m->fd, piece, SPOOL_PIECE, s->wake_fd);
		errnum = got < SPOOL_PIECE ? errno : 0;
		if (s->failed)
			return STATUS_STOPPED;
		if (transfer_pwrite(fd, piece, got, m->size) < got)
			return give_up(s, m, &job->error);
		m->size += got;
		s->copied += got;
		if (errnum) {
			job->kept = true;
			return error_system(&job->error, errnum, "%s: at byte %" PRIu64, m->name,
					    m->size);
		}
	} while (got == SPOOL_PIECE);
	job->kept = true;
	return STATUS_OK;
}

static enum status do_job(struct spool *s, struct spool_job *job)
{
	struct member *m = &job->member;
	uint8_t *piece = malloc(SPOOL_PIECE);
	enum status status;
	int fd = piece ? spool_create(s->settings->spool) : -1;

	status = fd < 0 ? give_up(s, m, &job->error) : copy(s, job, fd, piece);
	free(piece);
	if (job->kept) {
		close(m->fd);
		m->fd = fd;
		m->is_stream = false;
	} else if (fd >= 0) {
		close(fd);
	}
	return status;
}

static void work(void *arg, unsigned number)
{
	struct spool *s = arg;
	unsigned i;

	(void)number;
	while ((i = atomic_fetch_add(&s->next, 1)) < s->list->count) {
		struct spool_job *job = &s->list->jobs[i];

		job->status = do_job(s, job);
	}
}

static void tick(void *arg)
{
	const struct spool *s = arg;
	const struct salvage_watch *watch = &s->settings->watch;

	if (watch->spooling)
		watch->spooling(watch->arg, s->copied);
}

void spool_run(struct spool_list *list, const struct set_settings *settings)
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
