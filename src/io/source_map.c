// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/vmcore, mapped.  With read(), the capture kernel calls ioremap() for each page, which is
 * more than ten times slower.
 *
 * A window is mapped for a whole chunk: with small windows, the gain is lost to unmapping, which
 * interrupts every CPU on which the program has a thread.  For the same reason windows stay mapped
 * until WINDOWS of them can be unmapped at once; more than four gain nothing.  They are in a range
 * of addresses that each reader keeps.  This costs only addresses, since the pages belong to the
 * dead kernel or to the page cache.
 *
 * The kernel may refuse to map some ranges (EAGAIN); those are read instead, and mapping is tried
 * again for the next window.  A page that cannot be read raises SIGBUS when it is accessed: see
 * io/sigbus.h.
 */
#include "config.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/source_kinds.h"

enum { WINDOWS = 4 };

static size_t map_buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	return source_file_ops.buffer_size(block_size, chunk_size);
}

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A chunk may begin and end inside a page. */
static size_t map_map_size(uint32_t chunk_size)
{
	return WINDOWS * (round_up(chunk_size, page_size()) + page_size());
}

/*
 * Unmaps all windows but keeps the addresses reserved, or reserves them the first time.  If that
 * fails, what is mapped there is unknown, and the addresses are not used again.
 */
static bool clear_windows(struct source_reader *r)
{
	int fixed = r->map ? MAP_FIXED : 0;
	uint8_t *reserved = mmap(r->map, r->map_size, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);

	r->map = reserved == MAP_FAILED ? NULL : reserved;
	r->map_used = 0;
	// cppcheck-suppress memleak		; owned by the reader
	return r->map;
}

/*
 * A window that was refused may leave a hole in the reserved addresses, where a mapping of another
 * thread could be placed.  Reserves the hole again, or else stops using the addresses.
 */
static void fill_hole(struct source_reader *r, uint8_t *hole, size_t length)
{
	void *filled = mmap(hole, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			    MAP_FIXED_NOREPLACE, -1, 0);

	if (filled == hole)
		// cppcheck-suppress memleak	; part of what the reader owns
		return;
	/* EEXIST: still reserved, or used by another thread already. */
	if (filled != MAP_FAILED)
		munmap(filled, length);		/* kernels before 4.17 ignore the flag */
	r->map = NULL;
}

static uint8_t *map_window(struct source_reader *r, uint64_t start, size_t length)
{
	uint8_t *address, *window;

	if ((!r->map || r->map_used + length > r->map_size) && !clear_windows(r))
		return NULL;
	address = r->map + r->map_used;
	window = mmap(address, length, PROT_READ, MAP_PRIVATE | MAP_POPULATE | MAP_FIXED,
		      r->source->fd, (off_t)start);
	if (window == MAP_FAILED) {
		fill_hole(r, address, length);
		return NULL;
	}
	r->map_used += length;
	return window;
}

static enum status map_get(struct source_reader *r, uint64_t offset, size_t want,
			   const uint8_t **data, size_t *got, struct error *e)
{
	uint64_t start = round_down(offset, page_size());
	uint8_t *window;

	if (offset >= r->source->size)
		return STATUS_END;
	want = min_u64(want, r->source->size - offset);
	window = map_window(r, start, round_up(offset + want, page_size()) - start);
	if (!window)
		return source_get_carefully(r, offset, want, data, got, e);
	*data = window + (offset - start);
	*got = want;
	return STATUS_OK;
}

const struct source_ops source_map_ops = {
	.buffer_size = map_buffer_size,
	.map_size = map_map_size,
	.get = map_get,
};
