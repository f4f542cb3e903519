// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/vmcore, mapped: reading it page by page through read() costs the capture kernel one ioremap
 * a page, which is more than ten times slower.
 *
 * A window is a whole chunk, since small ones lose the gain to unmapping: that interrupts every CPU
 * on which the program has a thread.  For the same reason windows stay until WINDOWS of them can be
 * taken away at once.  They lie in a range of addresses that each reader keeps, so that nothing but
 * addresses is given up for that: the pages are the dead kernel's, or the page cache's.  (More than
 * four at once gain no more.)
 *
 * The kernel may refuse some ranges (-EAGAIN); those are read, and the next window is tried again.
 * A page that cannot be had raises SIGBUS when it is touched: see io/sigbus.h.
 */
#include "config.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/source.h"

enum { WINDOWS = 4 };

static size_t map_buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	return source_file_ops.buffer_size(block_size, chunk_size);
}

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A chunk may begin and end within a page. */
static size_t map_map_size(uint32_t chunk_size)
{
	return WINDOWS * (round_up(chunk_size, page_size()) + page_size());
}

/*
 * Takes all windows away, and keeps their place.  If that fails, nobody knows what is left there:
 * the addresses are given up.
 */
static bool clear_windows(struct source_reader *r)
{
	int fixed = r->map ? MAP_FIXED : 0;
	uint8_t *destination = mmap(r->map, r->map_size, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);

	r->map = destination == MAP_FAILED ? NULL : destination;
	r->map_used = 0;
	// cppcheck-suppress memleak		; it is the reader's
	return r->map;
}

/*
 * A window that was refused may leave a hole in the place, and whatever another thread maps may
 * come to lie there.  So it is filled again, or the addresses are given up.
 */
static void fill_hole(struct source_reader *r, uint8_t *hole, size_t length)
{
	void *filled = mmap(hole, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			    MAP_FIXED_NOREPLACE, -1, 0);

	if (filled == hole)
		// cppcheck-suppress memleak	; it is a part of the reader's
		return;
	/* EEXIST: the kernel left the place as it was, or it is somebody else's already. */
	if (filled != MAP_FAILED)
		munmap(filled, length);		/* a kernel before 4.17, which knows no such flag */
	r->map = NULL;
}

static uint8_t *map_window(struct source_reader *r, uint64_t start, size_t length)
{
	uint8_t *destination, *window;

	if ((!r->map || r->map_used + length > r->map_size) && !clear_windows(r))
		return NULL;
	destination = r->map + r->map_used;
	window = mmap(destination, length, PROT_READ, MAP_PRIVATE | MAP_POPULATE | MAP_FIXED,
		      r->source->fd, (off_t)start);
	if (window == MAP_FAILED) {
		fill_hole(r, destination, length);
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
