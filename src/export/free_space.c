// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/size.h"
#include "export/free_space.h"

/* These are in no header. */
enum { XFS_MAGIC = 0x58465342, VFAT_MAGIC = 0x4d44 };

/* A byte takes a byte there, unless it is in a hole. */
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

/* Root may use what is kept back for root. */
static bool room_of_file(int fd, dev_t device, struct free_space *room)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0 || !fs.f_blocks)
		return false;
	*room = (struct free_space){
		.bytes = (uint64_t)(geteuid() ? fs.f_bavail : fs.f_bfree) * (uint64_t)fs.f_bsize,
		.device = device,
		.certain = stores_plainly(&fs),
	};
	return true;
}

bool free_space_of(const struct output_file *o, struct free_space *room)
{
	struct stat st;
	off_t end;

	if (!output_file_seekable(o) || fstat(o->fd, &st) < 0)
		return false;
	if (S_ISREG(st.st_mode))
		return room_of_file(o->fd, st.st_dev, room);
	if (!S_ISBLK(st.st_mode))
		return false;
	end = lseek(o->fd, 0, SEEK_END);
	*room = (struct free_space){ .is_device = true, .certain = true, .device = st.st_rdev };
	if (end > 0)
		room->bytes = (uint64_t)end;
	return end >= 0;
}

enum status room_check(const struct output_file *o, uint64_t bytes, struct error *e)
{
	char needed[SIZE_TEXT_LENGTH], there[SIZE_TEXT_LENGTH];
	struct free_space room;

	if (!free_space_of(o, &room) || !room.certain || bytes <= room.bytes)
		return STATUS_OK;
	size_format(bytes, needed);
	size_format(room.bytes, there);
	if (room.is_device)
		return error_set(e, STATUS_SYSTEM, "%s: has %s, and %s are needed; nothing was "
				 "written; choose a larger device", o->name, there, needed);
	return error_set(e, STATUS_SYSTEM, "%s: its file system has %s free, and at least %s are needed; "
			 "nothing was written; free some space, or choose another output", o->name,
			 there, needed);
}
