// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/unit.h"
#include "io/sigbus.h"
#include "io/source.h"
#include "io/transfer.h"

static bool on_procfs(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/*
 * Files that the kernel makes up when they are read often have no size: they are read until they
 * end.  A file of /proc is not tried; some wait, or forget what they gave.
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
	if (mmap == MMAP_ALWAYS || (mmap == MMAP_AUTO && on_procfs(s->fd))) {
		s->ops = &source_map_ops;
		s->may_fault = true;
		return sigbus_install(e);
	}
	s->ops = &source_file_ops;
	posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return STATUS_OK;
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
		s->is_stream = true;	/* where a redirected file stands is the shell's affair */
	else if ((status = find_size(s, &st, e)))
		return status;
	if (!s->is_stream && s->size > OFFSET_MAX)
		return error_set(e, STATUS_USAGE, "%s: too large", s->name);
	status = choose_ops(s, mmap, e);
	if (!status && s->ops == &source_file_ops)
		source_find_holes(s, &st);
	return status;
}

static struct source *source_new(const char *name)
{
	struct source *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->fd = -1;
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

void source_close(struct source *s)
{
	if (!s)
		return;
	if (s->ops && s->ops->close)
		s->ops->close(s);
	if (s->fd >= 0)
		close(s->fd);
	free(s->name);
	free(s);
}

uint64_t source_growth(const struct source *s)
{
	struct stat st;

	if (s->is_stream || fstat(s->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size <= s->size)
		return 0;
	return (uint64_t)st.st_size - s->size;
}

/* In page tables; what they map is not ours. */
enum { BYTES_MAPPED_BY_BYTE = 512 };

size_t source_reader_memory(const struct source *s, uint32_t block_size, uint32_t chunk_size,
			    enum reading reading)
{
	size_t buffer = s->ops->buffer_size(block_size, chunk_size);

	return (reading == READ_TO_BUFFER ? buffer : 0) +
	       s->ops->map_size(chunk_size) / BYTES_MAPPED_BY_BYTE;
}

enum status source_reader_init(struct source_reader *r, struct source *s,
			       uint32_t block_size, uint32_t chunk_size,
			       enum reading reading, struct error *e)
{
	*r = (struct source_reader){ .source = s };
	r->buffer_size = s->ops->buffer_size(block_size, chunk_size);
	r->map_size = s->ops->map_size(chunk_size);
	if (reading == READ_TO_CALLER)
		return STATUS_OK;
	r->destination = r->buffer = aligned_alloc(UNIT, r->buffer_size);
	if (!r->buffer)
		return error_system(e, ENOMEM, "read buffer of %zu bytes", r->buffer_size);
	memory_touch(r->buffer, r->buffer_size);
	return STATUS_OK;
}

void source_reader_free(struct source_reader *r)
{
	if (r->map)
		munmap(r->map, r->map_size);
	free(r->buffer);
	*r = (struct source_reader){ 0 };
}

enum status source_get(struct source_reader *r, uint64_t offset, size_t want,
		       const uint8_t **data, size_t *got, struct error *e)
{
	return r->source->ops->get(r, offset, want, data, got, e);
}

enum status source_get_carefully(struct source_reader *r, uint64_t offset, size_t want,
				 const uint8_t **data, size_t *got, struct error *e)
{
	want = min_u64(want, r->buffer_size);
	*got = transfer_pread(r->source->fd, r->destination, want, offset);
	*data = r->destination;
	if (*got == want || (*got && errno == 0))
		return STATUS_OK;
	if (errno == 0)
		return STATUS_END;
	/* Where, the caller knows, who may put several such ranges into one sentence. */
	return error_system(e, errno, "%s", r->source->name);
}

enum status source_take(struct source_reader *r, size_t want, uint64_t *offset,
			size_t *got, struct error *e)
{
	return r->source->ops->take(r, want, offset, got, e);
}

void source_cancel(struct source *s)
{
	if (s->ops->cancel)
		s->ops->cancel(s);
}
