// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
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
	atomic_bool failed;
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

/* Some file systems, such as NFS, have no files without a name from the beginning. */
static int create_unnamed(const char *directory)
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

/* The superblock is not needed again, so a hole takes its place. */
static enum status copy(struct spool *s, struct member *m, int fd, uint8_t *piece, struct error *e)
{
	uint64_t offset = SUPERBLOCK_LENGTH;

	for (;;) {
		size_t got = transfer_read(m->fd, piece, SPOOL_PIECE);

		if (got < SPOOL_PIECE && errno)
			return error_system(e, errno, "%s: at byte %" PRIu64, m->name, offset + got);
		if (transfer_pwrite(fd, piece, got, offset) < got) {
			s->failed = true;
			return error_system(e, errno, "%s: no temporary copy of the member %s",
					    s->settings->spool, m->name);
		}
		offset += got;
		s->copied += got;
		if (got < SPOOL_PIECE)
			break;
		if (s->failed)
			return STATUS_STOPPED;
	}
	m->size = offset;
	return STATUS_OK;
}

static enum status do_job(struct spool *s, struct member *m, struct error *e)
{
	uint8_t *piece = malloc(SPOOL_PIECE);
	enum status status;
	int fd;

	if (!piece)
		return error_system(e, ENOMEM, "%s", m->name);
	fd = create_unnamed(s->settings->spool);
	if (fd < 0)
		status = error_system(e, errno, "%s: no temporary copy of the member %s",
				      s->settings->spool, m->name);
	else
		status = copy(s, m, fd, piece, e);
	free(piece);
	if (status) {
		if (fd >= 0)
			close(fd);
		return status;
	}
	close(m->fd);
	m->fd = fd;
	m->is_stream = false;
	return STATUS_OK;
}

static void work(void *arg, unsigned number)
{
	struct spool *s = arg;
	unsigned i;

	(void)number;
	while ((i = atomic_fetch_add(&s->next, 1)) < s->list->count) {
		struct spool_job *job = &s->list->jobs[i];

		job->status = do_job(s, &job->member, &job->error);
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
	struct spool s = { .list = list, .settings = settings };
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

	if (!list->count)
		return;
	/* If the threads cannot be created, one stream is read after the other. */
	if (thread_pool_run(&pool, &watch, &e))
		work(&s, 0);
	tick(&s);
}
