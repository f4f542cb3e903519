// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/alignment.h"
#include "io/source.h"
#include "io/transfer.h"

void source_close(struct source *s)
{
	if (!s)
		return;
	if (s->ops && s->ops->close)
		s->ops->close(s);
	if (s->fd >= 0)
		close(s->fd);
	if (s->direct_fd >= 0)
		close(s->direct_fd);
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

/* Bytes that one byte of page tables maps; the mapped pages themselves are not counted. */
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
	r->destination = r->buffer = aligned_alloc(ALIGNMENT, r->buffer_size);
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

/*
 * The page cache reads in pieces of many pages, and one bad sector fails the whole piece, for all
 * threads that wait for it.  True: what the cache could not read was read past it.  Otherwise errno is
 * what it was.
 */
static bool get_past_cache(const struct source_reader *r, uint64_t offset, size_t want)
{
	alignas(ALIGNMENT) uint8_t unit[ALIGNMENT];	/* the destination may be anywhere */
	int errnum = errno, fd = r->source->direct_fd;
	size_t done = 0, length, within;

	while (fd >= 0 && done < want) {
		/* Whole units, since sectors are read. */
		within = (offset + done) % sizeof(unit);
		length = min_u64(sizeof(unit) - within, want - done);
		if (transfer_pread(fd, unit, sizeof(unit), offset + done - within) < within + length)
			break;
		memcpy(r->destination + done, unit + within, length);
		done += length;
	}
	errno = errnum;
	return done == want;
}

enum status source_get_carefully(struct source_reader *r, uint64_t offset, size_t want,
				 const uint8_t **data, size_t *got, struct error *e)
{
	if (r->source->ops->get_carefully)
		return r->source->ops->get_carefully(r, offset, want, data, got, e);
	want = min_u64(want, r->buffer_size);
	*got = transfer_pread(r->source->fd, r->destination, want, offset);
	*data = r->destination;
	if (*got == want || (*got && errno == 0))
		return STATUS_OK;
	if (errno == 0)
		return STATUS_END;
	if (errno == EIO && get_past_cache(r, offset, want)) {
		*got = want;
		return STATUS_OK;
	}
	/* Without the offset: the caller may report several such ranges in one message. */
	return error_system(e, errno, "%s", r->source->name);
}

void source_next_data(const struct source *s, uint64_t offset, uint64_t end, uint64_t *from,
		      uint64_t *to)
{
	*from = offset;
	if (to)
		*to = end;
	if (s->ops->next_data)
		s->ops->next_data(s, offset, end, from, to);
}

uint64_t source_original(const struct source *s, uint64_t offset, uint64_t *length)
{
	return s->ops->original ? s->ops->original(s, offset, length) : offset;
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
