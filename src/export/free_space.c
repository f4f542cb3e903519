// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/size.h"
#include "export/free_space.h"

/* No header defines these. */
enum { XFS_MAGIC = 0x58465342, VFAT_MAGIC = 0x4d44 };

/* True if each byte takes a byte of space, unless it is in a hole. */
static bool stores_plainly(const struct statfs *fs)
{
	switch ((unsigned long)fs->f_type) {
	case EXT4_SUPER_MAGIC:		/* and ext2, ext3 */
	case TMPFS_MAGIC:
	case XFS_MAGIC:
	case VFAT_MAGIC:
		return true;
	default:
		return false;
	}
}

/* Root may also use the blocks that are reserved for root. */
static bool space_of_file(int fd, dev_t device, struct free_space *space)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0 || !fs.f_blocks)
		return false;
	*space = (struct free_space){
		.bytes = (uint64_t)(geteuid() ? fs.f_bavail : fs.f_bfree) * (uint64_t)fs.f_bsize,
		.device = device,
		.certain = stores_plainly(&fs),
	};
	return true;
}

bool free_space_of(const struct output_file *o, struct free_space *space)
{
	struct stat st;
	off_t end;

	if (!output_file_seekable(o) || fstat(o->fd, &st) < 0)
		return false;
	if (S_ISREG(st.st_mode))
		return space_of_file(o->fd, st.st_dev, space);
	if (!S_ISBLK(st.st_mode))
		return false;
	end = lseek(o->fd, 0, SEEK_END);
	*space = (struct free_space){ .is_device = true, .certain = true, .device = st.st_rdev };
	if (end > 0)
		space->bytes = (uint64_t)end;
	return end >= 0;
}

bool free_space_shared(const struct output_file *a, const struct output_file *b)
{
	struct free_space x, y;

	return free_space_of(a, &x) && free_space_of(b, &y) && x.device == y.device &&
	       x.is_device == y.is_device;
}

enum status free_space_check(const struct output_file *o, uint64_t bytes,
			     void (*warn)(void *arg, const struct error *e), void *arg,
			     struct error *e)
{
	char needed[SIZE_TEXT_LENGTH], available[SIZE_TEXT_LENGTH];
	struct free_space space;

	if (!free_space_of(o, &space) || bytes <= space.bytes)
		return STATUS_OK;
	size_format(bytes, needed);
	size_format(space.bytes, available);
	if (space.is_device)
		return error_set(e, STATUS_SYSTEM, "%s: has %s, but %s are needed; nothing was "
				 "written; choose a larger device", o->name, available, needed);
	if (space.certain)
		return error_set(e, STATUS_SYSTEM, "%s: its file system has %s free, but at "
				 "least %s are needed; nothing was written; free some space, or "
				 "choose another output", o->name, available, needed);
	error_set(e, STATUS_OK, "%s: may have too little space: at least %s needed, %s free; "
		  "writing it anyway", o->name, needed, available);
	if (warn)
		warn(arg, e);
	return STATUS_OK;
}
