// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files and block devices, read with pread().
 *
 * Each read is small enough to stay in the second-level cache of the CPU while its blocks are
 * packed.  From the page cache, this is as fast as a mapping, and cannot raise SIGBUS.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/source_kinds.h"

enum { READ_SIZE = 128 * 1024 };	/* bytes */

enum { FOLIO_MAX = 2 << 20 };		/* bytes of the largest folio of the page cache */

static size_t file_buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	return max_u64(block_size, min_u64(READ_SIZE, chunk_size));
}

static size_t file_map_size(uint32_t chunk_size)
{
	(void)chunk_size;
	return 0;
}

/*
 * After a read error, prepares the page cache for reading page by page.  It reads ahead in folios
 * of many pages, and one bad sector fails the whole folio; until that is dropped, its good pages
 * cannot be read either.  POSIX_FADV_RANDOM turns readahead off, which would create such folios
 * again.
 */
static void forget_failed(const struct source *s, uint64_t offset, size_t want)
{
	uint64_t start = round_down(offset, FOLIO_MAX);
	uint64_t end = round_up(offset + want, FOLIO_MAX);

	posix_fadvise(s->fd, 0, 0, POSIX_FADV_RANDOM);
	posix_fadvise(s->fd, (off_t)start, (off_t)(end - start), POSIX_FADV_DONTNEED);
}

static enum status file_get(struct source_reader *r, uint64_t offset, size_t want,
			    const uint8_t **data, size_t *got, struct error *e)
{
	enum status status = source_get_carefully(r, offset, want, data, got, e);

	if (status || *got < min_u64(want, r->buffer_size))
		forget_failed(r->source, offset, want);
	return status;
}

/* lseek() reports the end of a truncated file in the same way as a hole. */
static bool still_reaches(const struct source *s, uint64_t end)
{
	struct stat st;

	return fstat(s->fd, &st) == 0 && (uint64_t)st.st_size >= end;
}

static void file_next_data(const struct source *s, uint64_t offset, uint64_t end, uint64_t *from,
			   uint64_t *to)
{
	off_t data, hole;

	if (!s->sparse)
		return;
	data = lseek(s->fd, (off_t)offset, SEEK_DATA);
	if (data < 0 && errno == ENXIO)
		data = (off_t)end;
	if (data < (off_t)offset)
		return;
	data = (off_t)min_u64((uint64_t)data, end);
	if (data > (off_t)offset && !still_reaches(s, (uint64_t)data))
		return;
	*from = (uint64_t)data;
	if (*from == end || !to)
		return;
	hole = lseek(s->fd, data, SEEK_HOLE);
	if (hole > data)
		*to = min_u64((uint64_t)hole, end);
}

/* A file without holes is not searched for them: each lseek() takes time. */
void source_find_holes(struct source *s, const struct stat *st)
{
	uint64_t stored = (uint64_t)st->st_blocks * 512;
	off_t hole;

	if (!S_ISREG(st->st_mode) || stored >= s->size)
		return;
	hole = lseek(s->fd, 0, SEEK_HOLE);
	s->sparse = hole >= 0 && (uint64_t)hole < s->size;
	s->stored = stored;
}

const struct source_ops source_file_ops = {
	.buffer_size = file_buffer_size,
	.map_size = file_map_size,
	.get = file_get,
	.next_data = file_next_data,
};
