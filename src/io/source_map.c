// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/vmcore, mapped: reading it page by page through read() costs the capture
 * kernel one ioremap a page, which is more than ten times slower.
 *
 * A whole chunk is mapped at once, since small windows lose the gain to
 * unmapping.  The kernel may refuse some ranges (-EAGAIN); those are read,
 * and the next window is tried again.  A page that cannot be had raises SIGBUS when
 * it is touched: see io/fault.h.
 */
#include "config.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/source.h"

static size_t map_buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	return source_file_ops.buffer_size(block_size, chunk_size);
}

static size_t map_map_size(uint32_t chunk_size)
{
	return chunk_size;
}

static enum status map_get(struct source_reader *r, uint64_t offset, size_t want,
			   const uint8_t **data, size_t *got, struct error *e)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start = round_down(offset, page);
	size_t length;

	if (r->map)
		munmap(r->map, r->map_length);
	r->map = NULL;
	if (offset >= r->source->size)
		return STATUS_END;
	want = min_u64(want, r->source->size - offset);
	length = want + (size_t)(offset - start);
	r->map = mmap(NULL, length, PROT_READ, MAP_PRIVATE | MAP_POPULATE, r->source->fd,
		      (off_t)start);
	if (r->map == MAP_FAILED) {
		r->map = NULL;
		return source_get_carefully(r, offset, want, data, got, e);
	}
	r->map_length = length;
	*data = (const uint8_t *)r->map + (offset - start);
	*got = want;
	return STATUS_OK;
}

const struct source_ops source_map_ops = {
	.buffer_size = map_buffer_size,
	.map_size = map_map_size,
	.get = map_get,
};
