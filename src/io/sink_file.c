// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A regular file or a block device.
 *
 * Direct I/O keeps the page cache from growing with the dump, which in a
 * capture kernel with 200 MB of memory ends in the OOM killer.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/unit.h"
#include "io/path.h"
#include "io/sink.h"
#include "io/transfer.h"

static bool set_o_direct(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 &&
	       fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

enum status sink_file_set_direct(struct sink *s, struct error *e)
{
	if (s->direct_wanted == DIRECT_NEVER)
		return STATUS_OK;
	s->direct = set_o_direct(s->fd, true);
	if (!s->direct && s->direct_wanted == DIRECT_ALWAYS)
		return error_system(e, errno, "%s: direct I/O", s->name);
	return STATUS_OK;
}

/* An index segment, two footers, and what the file system needs to hold them. */
enum { RESERVE = 64 * 1024 };

/* Where the reserve of a file lies: behind any member, below any file system's limit. */
static const off_t RESERVE_OFFSET = (off_t)1 << 42;

static void file_keep_back(struct sink *s)
{
	/*
	 * Blocks far behind the end of the file, which they do not make longer.  A file system
	 * that cannot do this has no reserve, and a member that fills it has no footer.
	 */
	if (s->kind == SINK_FILE &&
	    fallocate(s->fd, FALLOC_FL_KEEP_SIZE, RESERVE_OFFSET, RESERVE) < 0)
		s->no_reserve = errno != ENOSPC && errno != EDQUOT && errno != EINTR;
	else
		s->reserve = RESERVE;
}

/* What lies behind the member goes: the reserve, and what is left of a failed append. */
static bool cut_off(struct sink *s)
{
	if (s->kind != SINK_FILE)
		return true;
	s->reserve = 0;
	return ftruncate(s->fd, (off_t)s->length) == 0;
}

static void file_release(struct sink *s)
{
	/*
	 * ext4 punches no hole behind the end of a file, but this frees the blocks everywhere.
	 * If it fails, file_sync() will tell.
	 */
	cut_off(s);
}

static bool write_at(struct sink *s, const void *bytes, size_t len, uint64_t offset)
{
	if (transfer_pwrite(s->fd, bytes, len, offset) == len)
		return true;
	/*
	 * Some file systems take the flag and refuse the write, for a device
	 * whose sectors are larger than a page or for no reason at all.
	 */
	if (errno != EINVAL || !s->direct || s->direct_wanted != DIRECT_AUTO)
		return false;
	s->direct = false;
	return set_o_direct(s->fd, false) &&
	       transfer_pwrite(s->fd, bytes, len, offset) == len;
}

/* The last whole unit of a block device is the second footer's (doc/format.md, section 1). */
static uint64_t last_offset(const struct sink *s)
{
	return round_down(s->room, UNIT) - UNIT;
}

static enum status file_append(struct sink *s, const void *bytes, size_t len, struct error *e)
{
	if (s->kind == SINK_BLOCK_DEVICE &&
	    (s->room < UNIT || s->length + len + s->reserve > last_offset(s)))
		return error_system(e, ENOSPC, "%s", s->name);
	/* Before a member grows into its reserve, that goes, and does not come again. */
	if (s->kind == SINK_FILE && s->length + len > (uint64_t)RESERVE_OFFSET) {
		sink_release(s);
		s->no_reserve = true;
	}
	if (!write_at(s, bytes, len, s->length))
		return error_system(e, errno, "%s", s->name);
	return STATUS_OK;
}

static enum status file_sync(struct sink *s, struct error *e)
{
	/* A footer must be the last thing in a file. */
	if (!cut_off(s) || fsync(s->fd) < 0)
		return error_system(e, errno, "%s", s->name);
	if (s->kind == SINK_FILE)
		return path_sync_directory(s->name, e);
	return STATUS_OK;
}

static enum status file_write_last(struct sink *s, const void *bytes, size_t len,
				   struct error *e)
{
	if (s->kind != SINK_BLOCK_DEVICE)
		return STATUS_OK;
	if (!write_at(s, bytes, len, last_offset(s)))
		return error_system(e, errno, "%s", s->name);
	return STATUS_OK;
}

/*
 * Gives back the blocks of a failed append, and not the reserve.  The file stays as long as
 * that append made it: to make it shorter frees all that lies behind its end, on every file
 * system, and then another output could take the reserve.
 */
static bool punch_tail(const struct sink *s)
{
	return s->kind == SINK_FILE && s->reserve &&
	       fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)s->length,
			 RESERVE_OFFSET - (off_t)s->length) == 0;
}

/* Does no harm where the reserve is still there. */
static bool keep_again(struct sink *s)
{
	s->reserve = 0;
	sink_keep_back(s);
	return s->reserve;
}

static enum status file_rewind(struct sink *s, struct error *e)
{
	/* ext4 gives the reserve up itself when a write fails, so it is kept again anyhow. */
	if (punch_tail(s) && keep_again(s))
		return STATUS_OK;
	if (!cut_off(s))
		return error_system(e, errno, "%s", s->name);
	keep_again(s);
	return STATUS_OK;
}

const struct sink_ops sink_file_ops = {
	.append = file_append,
	.sync = file_sync,
	.write_last = file_write_last,
	.rewind = file_rewind,
	.keep_back = file_keep_back,
	.release = file_release,
};
