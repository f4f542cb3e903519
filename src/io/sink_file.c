// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Regular files and block devices.
 *
 * Direct I/O keeps the page cache from growing with the dump, which in a capture kernel with 200 MB
 * of memory would end with the OOM killer.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/existing.h"
#include "io/path.h"
#include "io/sink.h"
#include "io/transfer.h"

enum { MEMBER_MODE = 0600 };	/* a core holds passwords and keys */

/* Parts of units, such as descriptors of pages, often follow each other: the flag is changed only when it must be. */
static bool set_o_direct(struct sink *s, bool on)
{
	int flags;

	if (s->o_direct == on)
		return true;
	flags = fcntl(s->fd, F_GETFL);
	if (flags < 0 || fcntl(s->fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT) < 0)
		return false;
	s->o_direct = on;
	return true;
}

static enum status set_direct(struct sink *s, struct error *e)
{
	if (s->direct_wanted == DIRECT_NEVER)
		return STATUS_OK;
	s->direct = set_o_direct(s, true);
	if (!s->direct && s->direct_wanted == DIRECT_ALWAYS)
		return error_system(e, errno, "%s: direct I/O", s->name);
	return STATUS_OK;
}

/* A device that was removed has no bytes any more.  That is not a lack of space: what it held is lost. */
static bool has_shrunk(const struct sink *s, uint64_t end)
{
	uint64_t size;

	return s->kind == SINK_BLOCK_DEVICE && !ioctl(s->fd, BLKGETSIZE64, &size) && size < end;
}

static bool write_or_explain(struct sink *s, const void *bytes, size_t len, uint64_t offset)
{
	int errnum;

	if (transfer_pwrite(s->fd, bytes, len, offset) == len)
		return true;
	errnum = errno;
	errno = errnum == ENOSPC && has_shrunk(s, offset + len) ? ENODEV : errnum;
	return false;
}

static bool write_at(struct sink *s, const void *bytes, size_t len, uint64_t offset)
{
	if (!set_o_direct(s, s->direct))
		return false;
	if (write_or_explain(s, bytes, len, offset))
		return true;
	/*
	 * Some file systems accept O_DIRECT but refuse the write: for a device whose sectors are
	 * larger than a page, or always.
	 */
	if (errno != EINVAL || !s->direct || s->direct_wanted != DIRECT_AUTO)
		return false;
	s->direct = false;
	return set_o_direct(s, false) && write_or_explain(s, bytes, len, offset);
}

/* The last whole unit of a block device, for the second copy of the footer; 0: none. */
static uint64_t last_offset(const struct sink *s)
{
	return s->capacity < ALIGNMENT ? 0 : round_down(s->capacity, ALIGNMENT) - ALIGNMENT;
}

static uint64_t file_space_left(const struct sink *s)
{
	uint64_t end;

	if (s->kind != SINK_BLOCK_DEVICE)
		return UINT64_MAX;
	end = last_offset(s);
	return end > s->length ? end - s->length : 0;
}

uint64_t sink_free_space(const struct sink *s)
{
	struct statvfs fs;

	if (s->kind != SINK_FILE || fstatvfs(s->fd, &fs) < 0)
		return UINT64_MAX;
	return (uint64_t)fs.f_bavail * fs.f_frsize;
}

/*
 * Writeback of a buffered output is started while it is written: otherwise the final fsync() could
 * have gigabytes to write, and could not be distinguished from one that hangs.  AT_A_TIME bytes are
 * sent at a time, and at most about BEHIND bytes are not on the disk yet.
 */
enum { AT_A_TIME = 4 << 20, BEHIND = SINK_BEHIND - AT_A_TIME };

static enum status write_back(struct sink *s, uint64_t end, struct error *e)
{
	uint64_t safe = end > BEHIND ? round_down(end - BEHIND, AT_A_TIME) : 0;
	uint64_t from = safe > BEHIND ? safe - BEHIND : 0;	/* earlier bytes were waited for */
	int wait = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;

	if (s->direct || end < s->sent + AT_A_TIME)
		return STATUS_OK;
	if (sync_file_range(s->fd, (off_t)s->sent, (off_t)(end - s->sent),
			    SYNC_FILE_RANGE_WRITE) < 0 ||
	    (safe && sync_file_range(s->fd, (off_t)from, (off_t)(safe - from), wait) < 0)) {
		/* Unsupported, or an I/O error; fsync() would not report that again. */
		s->broken |= errno != ESPIPE && errno != EINVAL && errno != ENOSYS;
		if (s->broken)
			return error_system(e, errno, "%s", s->name);
	}
	s->sent = end;
	return STATUS_OK;
}

static enum status file_append(struct sink *s, const void *bytes, size_t len, struct error *e)
{
	if (len > file_space_left(s))
		return error_system(e, ENOSPC, "%s", s->name);
	/* Of a write that fails, a part may be there. */
	s->reached = max_u64(s->reached, s->length + len);
	if (!write_at(s, bytes, len, s->length))
		return error_system(e, errno, "%s", s->name);
	return write_back(s, s->length + len, e);
}

/* Direct I/O takes whole units only. */
static enum status write_part(struct sink *s, const void *bytes, size_t len, uint64_t offset, struct error *e)
{
	if (set_o_direct(s, false) && write_or_explain(s, bytes, len, offset))
		return STATUS_OK;
	return error_system(e, errno, "%s", s->name);
}

static bool is_aligned(uint64_t value)
{
	return value % ALIGNMENT == 0;
}

static enum status file_write_at(struct sink *s, const void *bytes, size_t len, uint64_t offset,
				 struct error *e)
{
	if (!is_aligned((uintptr_t)bytes) || !is_aligned(len) || !is_aligned(offset))
		return write_part(s, bytes, len, offset, e);
	if (!write_at(s, bytes, len, offset))
		return error_system(e, errno, "%s", s->name);
	return write_back(s, offset + len, e);
}

/* A file that was emptied has no bytes there, so they read as zeros. */
static bool file_extend(struct sink *s, uint64_t len, enum sink_zeros how)
{
	uint64_t end = s->length + len;

	if (s->kind != SINK_FILE)
		return false;
	return how == SINK_HOLE ? ftruncate(s->fd, (off_t)end) == 0 :
	       fallocate(s->fd, 0, (off_t)s->length, (off_t)len) == 0;
}

static enum status file_truncate(struct sink *s, struct error *e)
{
	if (s->kind == SINK_FILE && ftruncate(s->fd, (off_t)(s->length + s->reserved)) < 0)
		return error_system(e, errno, "%s", s->name);
	return STATUS_OK;
}

static enum status sync_name(const struct sink *s, struct error *e)
{
	enum status status = s->moved ? STATUS_OK : path_sync_directory(s->name, e);

	/* Its directory is not known, or there is no descriptor left: sync the whole file system. */
	if (s->moved || (status && (e->errnum == EMFILE || e->errnum == ENFILE)))
		status = syncfs(s->fd) < 0 ? error_system(e, errno, "%s", s->name) : STATUS_OK;
	return status;
}

static enum status file_sync(struct sink *s, struct error *e)
{
	enum status status;
	struct stat st;

	if (fstat(s->fd, &st) < 0)
		return error_system(e, errno, "%s", s->name);
	status = file_truncate(s, e);	/* a file must end with its footer */
	/* In any case: what is read afterwards comes from the disk. */
	if (fsync(s->fd) < 0 && !status)
		status = error_system(e, errno, "%s", s->name);
	if (!status)
		status = sink_look(s, (uint64_t)st.st_size, e);
	return status || s->kind == SINK_BLOCK_DEVICE ? status : sync_name(s, e);
}

static const uint8_t zeros[ALIGNMENT] __attribute__((aligned(ALIGNMENT)));

static enum status file_write_last(struct sink *s, const void *bytes, size_t len,
				   struct error *e)
{
	if (s->kind != SINK_BLOCK_DEVICE)
		return STATUS_OK;
	/* A record after the footer, even of an earlier capture, would make the footer superseded. */
	if (file_space_left(s) >= ALIGNMENT && !write_at(s, zeros, ALIGNMENT, s->length))
		return error_system(e, errno, "%s", s->name);
	if (!write_at(s, bytes, len, last_offset(s)))
		return error_system(e, errno, "%s", s->name);
	return STATUS_OK;
}

/*
 * Clears the first and the last unit of a block device, so that no superblock or footer of an
 * earlier capture is taken for one of this capture.
 */
static enum status clear_ends(struct sink *s, struct error *e)
{
	enum status status;

	if (s->kind != SINK_BLOCK_DEVICE || s->capacity < ALIGNMENT)
		return STATUS_OK;
	status = file_write_last(s, zeros, ALIGNMENT, e);
	if (!status && fsync(s->fd) < 0)
		return error_system(e, errno, "%s", s->name);
	return status;
}

static int open_flags(const struct sink *s)
{
	int flags = O_CLOEXEC | O_NOCTTY;

	/* Its contents are read; and O_EXCL refuses a device that is mounted: open(2). */
	if (s->kind == SINK_BLOCK_DEVICE)
		return flags | O_RDWR | O_EXCL;
	if (!s->identity.type)
		return flags | O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
	return flags | O_WRONLY;
}

/*
 * A file system without modes refuses; a new file then has the mode that open() or the mount
 * options gave it, which is no reason to lose the dump.
 */
static bool set_mode(const struct sink *s)
{
	return fchmod(s->fd, MEMBER_MODE) == 0 ||
	       (s->created && (errno == EPERM || errno == ENOTSUP));
}

/* The device is open exclusively now; what sink_probe() saw may have changed before. */
static enum status prepare_device(struct sink *s, struct error *e)
{
	off_t end = lseek(s->fd, 0, SEEK_END);

	if (end < 0)
		return error_system(e, errno, "%s", s->name);
	s->capacity = (uint64_t)end;
	if (!(s->permits & PERMIT_DEVICES))
		return contents_refuse_changed(s->fd, s->name, s->permits, s->seen, e);
	contents_erase(s->fd);
	return STATUS_OK;
}

static enum status prepare_file(struct sink *s, struct error *e)
{
	if (file_lock(s->fd, s->name, e)) {
		s->created = false;	/* the other process opened it, too, and writes it */
		return e->status;
	}
	/* What describes the file is not true any more. */
	if (s->permits & PERMIT_OVERWRITE)
		digest_file_remove(s->name);
	if (!set_mode(s) || ftruncate(s->fd, 0) < 0)
		return error_system(e, errno, "%s", s->name);
	return STATUS_OK;
}

static enum status file_open(struct sink *s, struct error *e)
{
	bool is_new = s->kind == SINK_FILE && !s->identity.type;
	enum status status;

	if (is_new && path_would_be_device(s->name))
		return error_system(e, ENODEV, "%s", s->name);
	s->fd = open(s->name, open_flags(s), MEMBER_MODE);
	if (s->fd < 0)
		return sink_creation_error(s, errno, e);
	s->created = is_new;
	s->o_direct = false;
	status = sink_check_identity(s, e);
	if (!status)
		status = s->kind == SINK_BLOCK_DEVICE ? prepare_device(s, e) : prepare_file(s, e);
	if (!status)
		status = set_direct(s, e);
	return status ? status : clear_ends(s, e);
}

static enum status read_from(int fd, const struct sink *s, void *bytes, size_t len,
			     uint64_t offset, struct error *e)
{
	struct identity found;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_system(e, errno, "%s", s->name);
	found = identity_of(&st);
	if (!identity_equal(&found, &s->identity))
		return error_system(e, ESTALE, "%s", s->name);
	/* Read from the disk: after a failure, the page cache may contain what the disk does not. */
	posix_fadvise(fd, (off_t)offset, (off_t)len, POSIX_FADV_DONTNEED);
	if (transfer_pread(fd, bytes, len, offset) == len)
		return STATUS_OK;
	return error_system(e, errno ? errno : EIO, "%s", s->name);
}

/* Opens the file again: some file systems allow only reading or only writing by one descriptor. */
static enum status file_read(struct sink *s, void *bytes, size_t len, uint64_t offset,
			     struct error *e)
{
	int fd = open(s->name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	enum status status;

	if (fd < 0)
		return error_system(e, errno, "%s", s->name);
	status = read_from(fd, s, bytes, len, offset, e);
	close(fd);
	return status;
}

const struct sink_ops sink_file_ops = {
	.open = file_open,
	.append = file_append,
	.write_at = file_write_at,
	.extend = file_extend,
	.sync = file_sync,
	.write_last = file_write_last,
	.truncate = file_truncate,
	.read = file_read,
	.space_left = file_space_left,
};
