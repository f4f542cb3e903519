// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alignment.h"
#include "io/sigbus.h"
#include "io/source_kinds.h"
#include "io/source_open.h"

static bool on_procfs(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/*
 * True if a regular file of size 0 may contain bytes: files that the kernel generates often have no
 * size, and are read as streams.  Files of /proc are not probed: reading some of them waits, or
 * consumes what is read.
 */
static bool may_give_bytes(int fd)
{
	char byte;

	return on_procfs(fd) || pread(fd, &byte, 1, 0) != 0;
}

static enum status find_size(struct source *s, const struct stat *st, struct error *e)
{
	off_t end;

	if (S_ISREG(st->st_mode)) {
		s->size = (uint64_t)st->st_size;
		s->is_stream = st->st_size == 0 && may_give_bytes(s->fd);
		return STATUS_OK;
	}
	if (!S_ISBLK(st->st_mode)) {
		s->is_stream = true;
		return STATUS_OK;
	}
	end = lseek(s->fd, 0, SEEK_END);
	if (end < 0)
		return error_system(e, errno, "%s", s->name);
	s->size = (uint64_t)end;
	return STATUS_OK;
}

static enum status choose_ops(struct source *s, enum mmap_mode mmap, struct error *e)
{
	if (s->is_stream) {
		s->ops = &source_stream_ops;
		s->size = 0;
		return source_stream_init(s, e);
	}
	s->made_by_kernel = on_procfs(s->fd);
	if (mmap == MMAP_ALWAYS || (mmap == MMAP_AUTO && s->made_by_kernel)) {
		s->ops = &source_map_ops;
		s->may_fault = true;
		return sigbus_install(e);
	}
	s->ops = &source_file_ops;
	posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return STATUS_OK;
}

/* Without it, which is not an error, a bad sector may cost the pages next to it. */
static void open_direct(struct source *s, const char *name)
{
	struct identity identity;
	struct stat st;

	s->direct_fd = open(name, O_RDONLY | O_CLOEXEC | O_DIRECT);
	if (s->direct_fd < 0)
		return;
	if (fstat(s->direct_fd, &st) == 0) {
		identity = identity_of(&st);
		if (identity_equal(&identity, &s->identity))
			return;
	}
	close(s->direct_fd);
	s->direct_fd = -1;
}

static enum status open_fd(struct source *s, const char *name, enum mmap_mode mmap,
			   struct error *e)
{
	struct stat st;
	enum status status;

	s->fd = strcmp(name, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				       : open(name, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return error_system(e, errno, "%s", s->name);
	if (S_ISDIR(st.st_mode))
		return error_system(e, EISDIR, "%s", s->name);
	s->identity = identity_of(&st);
	if (strcmp(name, "-") == 0)
		s->is_stream = true;	/* the file offset of a redirected file is up to the shell */
	else if ((status = find_size(s, &st, e)))
		return status;
	if (!s->is_stream && s->size > OFFSET_MAX)
		return error_set(e, STATUS_USAGE, "%s: too large", s->name);
	status = choose_ops(s, mmap, e);
	if (!status && !s->is_stream && !s->made_by_kernel)
		open_direct(s, name);
	if (!status && s->ops == &source_file_ops)
		status = source_find_holes(s, &st, e);
	return status;
}

static struct source *source_new(const char *name)
{
	struct source *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->fd = -1;
	s->direct_fd = -1;
	s->interrupt_fd = -1;
	s->name = strdup(strcmp(name, "-") == 0 ? "standard input" : name);
	if (s->name)
		return s;
	free(s);
	return NULL;
}

enum status source_open(struct source **source, const char *name, enum mmap_mode mmap,
			struct error *e)
{
	struct source *s = source_new(name);
	enum status status;

	if (!s)
		return error_system(e, ENOMEM, "%s", name);
	status = open_fd(s, name, mmap, e);
	if (status) {
		source_close(s);
		return status;
	}
	*source = s;
	return STATUS_OK;
}

enum status source_expect(struct source **source, const char *name, uint64_t size,
			  enum mmap_mode mmap, struct error *e)
{
	struct source *s = source_new(name);

	if (!s)
		return error_system(e, ENOMEM, "%s", name);
	s->size = size;
	s->ops = mmap == MMAP_NEVER ? &source_file_ops : &source_map_ops;
	*source = s;
	return STATUS_OK;
}
