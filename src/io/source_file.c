// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file or block device, read.
 *
 * What is read at once is small enough to stay in the second-level cache while its blocks are
 * packed; from the page cache that is as fast as a mapping, and cannot raise SIGBUS.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/source.h"

enum { HOT_BUFFER = 256 * 1024 };

/* No piece of the page cache is larger. */
enum { FOLIO_MAX = 2 << 20 };

static size_t file_buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	return max_u64(block_size, min_u64(HOT_BUFFER, chunk_size));
}

static size_t file_map_size(uint32_t chunk_size)
{
	(void)chunk_size;
	return 0;
}

/*
 * The page cache reads far ahead, in pieces of many pages, and one bad sector fails the whole
 * piece: until that is dropped, its good pages cannot be read one by one either.  And from now on
 * it reads what it is asked for, or reading page by page would make such pieces again.
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

/* lseek() reports what was cut off in the same way as a hole. */
static bool still_reaches(const struct source *s, uint64_t end)
{
	struct stat st;

	return fstat(s->fd, &st) == 0 && (uint64_t)st.st_size >= end;
}

void source_next_data(const struct source *s, uint64_t offset, uint64_t end, uint64_t *from,
		      uint64_t *to)
{
	off_t data, hole;

	*from = offset;
	*to = end;
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
	if (*from == end)
		return;
	hole = lseek(s->fd, data, SEEK_HOLE);
	if (hole > data)
		*to = min_u64((uint64_t)hole, end);
}

/* A file that is stored whole is not asked for holes: it has none, and each question takes time. */
void source_find_holes(struct source *s, const struct stat *st)
{
	uint64_t held = (uint64_t)st->st_blocks * 512;
	off_t hole;

	if (!S_ISREG(st->st_mode) || held >= s->size)
		return;
	hole = lseek(s->fd, 0, SEEK_HOLE);
	s->sparse = hole >= 0 && (uint64_t)hole < s->size;
	s->held = held;
}

const struct source_ops source_file_ops = {
	.buffer_size = file_buffer_size,
	.map_size = file_map_size,
	.get = file_get,
};
