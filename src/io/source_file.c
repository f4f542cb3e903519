// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file or block device, read.
 *
 * What is read at once is small enough to stay in the second-level cache while its
 * blocks are packed; from the page cache that is as fast as a mapping, and
 * cannot raise SIGBUS.
 */
#include "config.h"

#include <fcntl.h>

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
 * piece: until that is dropped, its good pages cannot be read one by one either.  And from now
 * on it reads what it is asked for, or reading page by page would make such pieces again.
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

const struct source_ops source_file_ops = {
	.buffer_size = file_buffer_size,
	.map_size = file_map_size,
	.get = file_get,
};
