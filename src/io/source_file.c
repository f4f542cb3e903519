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
#include <stdatomic.h>
#include <stdlib.h>
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
 * After a read error, prepares the page cache for reading page by page, in case that cannot be done
 * past it.  It reads ahead in folios of many pages, and one bad sector fails the whole folio; until
 * that is dropped, its good pages cannot be read either, and it is not while another thread waits for
 * it.  POSIX_FADV_RANDOM turns readahead off, which would create such folios again.
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

/* --- holes ----------------------------------------------------------------- */

/*
 * What is known of parts of a sparse file.  tmpfs looks at each page to find where data ends, so to ask again for
 * each unit of each pass, and each struct page, would take longer than to read.  A part that is neither is asked for
 * each time.
 */
enum part { PART_UNKNOWN, PART_HOLE, PART_DATA };

enum { PARTS_MAX = 1 << 16, PART_MIN = 1 << 20 };

/* Threads change parts without a lock: whatever one of them finds is true. */
struct file_parts {
	uint64_t part_size;		/* bytes */
	_Atomic unsigned char part[];	/* enum part */
};

/* The end of the parts from the one with offset on that are known to be this, at most end. */
static uint64_t end_of_parts(const struct file_parts *p, uint64_t offset, uint64_t end, enum part what)
{
	while (offset < end &&
	       atomic_load_explicit(&p->part[offset / p->part_size], memory_order_relaxed) == what)
		offset = round_down(offset, p->part_size) + p->part_size;
	return min_u64(offset, end);
}

/* The parts that lie in [from, to) completely; the last one of the file has fewer bytes. */
static void mark_parts(const struct source *s, uint64_t from, uint64_t to, enum part what)
{
	struct file_parts *p = s->state;
	uint64_t end = to == s->size ? divide_up(to, p->part_size) : to / p->part_size;

	for (uint64_t i = divide_up(from, p->part_size); i < end; i++)
		atomic_store_explicit(&p->part[i], (unsigned char)what, memory_order_relaxed);
}

/* lseek() reports the end of a truncated file in the same way as a hole. */
static bool still_reaches(const struct source *s, uint64_t end)
{
	struct stat st;

	return fstat(s->fd, &st) == 0 && (uint64_t)st.st_size >= end;
}

static uint64_t find_data(const struct source *s, uint64_t offset, uint64_t end)
{
	off_t data = lseek(s->fd, (off_t)offset, SEEK_DATA);
	uint64_t found;

	if (data < 0 && errno != ENXIO)
		return offset;
	found = data < 0 ? s->size : min_u64((uint64_t)data, s->size);
	if (found <= offset)
		return offset;
	if (still_reaches(s, found))
		mark_parts(s, offset, found, PART_HOLE);
	else if (!still_reaches(s, min_u64(found, end)))
		return offset;
	return min_u64(found, end);
}

static uint64_t find_hole(const struct source *s, uint64_t offset, uint64_t end)
{
	off_t hole = lseek(s->fd, (off_t)offset, SEEK_HOLE);

	if (hole <= (off_t)offset)
		return end;
	mark_parts(s, offset, min_u64((uint64_t)hole, s->size), PART_DATA);
	return min_u64((uint64_t)hole, end);
}

static void file_next_data(const struct source *s, uint64_t offset, uint64_t end, uint64_t *from,
			   uint64_t *to)
{
	const struct file_parts *p = s->state;
	uint64_t data, hole;

	if (!s->sparse)
		return;
	data = end_of_parts(p, offset, end, PART_HOLE);
	if (data > offset && !still_reaches(s, data))
		return;
	hole = end_of_parts(p, data, end, PART_DATA);
	if (hole == data && data < end) {
		data = find_data(s, data, end);
		hole = data < end && to ? find_hole(s, data, end) : end;
	}
	*from = data;
	if (to)
		*to = hole;
}

/* A file without holes is not searched for them: each lseek() takes time. */
enum status source_find_holes(struct source *s, const struct stat *st, struct error *e)
{
	uint64_t stored = (uint64_t)st->st_blocks * 512, part_size;
	struct file_parts *p;
	off_t hole;

	if (!S_ISREG(st->st_mode) || stored >= s->size)
		return STATUS_OK;
	hole = lseek(s->fd, 0, SEEK_HOLE);
	if (hole < 0 || (uint64_t)hole >= s->size)
		return STATUS_OK;
	part_size = max_u64(PART_MIN, divide_up(s->size, PARTS_MAX));
	p = calloc(1, sizeof(*p) + divide_up(s->size, part_size));
	if (!p)
		return error_system(e, ENOMEM, "%s", s->name);
	p->part_size = part_size;
	s->state = p;
	s->sparse = true;
	s->stored = stored;
	return STATUS_OK;
}

static void file_close(struct source *s)
{
	free(s->state);
}

const struct source_ops source_file_ops = {
	.buffer_size = file_buffer_size,
	.map_size = file_map_size,
	.get = file_get,
	.next_data = file_next_data,
	.close = file_close,
};
