// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/path.h"
#include "io/space.h"

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

/* Root may also use the blocks that are reserved for root.  Some file systems do not report any. */
static bool space_of_file(const struct statfs *fs, dev_t device, struct space *space)
{
	*space = (struct space){
		.bytes = (uint64_t)(geteuid() ? fs->f_bavail : fs->f_bfree) * (uint64_t)fs->f_frsize,
		.device = device,
		.certain = stores_plainly(fs),
	};
	return fs->f_blocks != 0;
}

bool space_of_fd(int fd, struct space *space)
{
	struct statfs fs;
	struct stat st;
	off_t end;

	if (fstat(fd, &st) < 0)
		return false;
	if (S_ISREG(st.st_mode))
		return fstatfs(fd, &fs) == 0 && space_of_file(&fs, st.st_dev, space);
	if (!S_ISBLK(st.st_mode))
		return false;
	end = lseek(fd, 0, SEEK_END);
	*space = (struct space){ .is_device = true, .certain = true, .device = st.st_rdev };
	if (end > 0)
		space->bytes = (uint64_t)end;
	return end >= 0;
}

static bool space_of_device(const char *name, struct space *space)
{
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool known = fd >= 0 && space_of_fd(fd, space) && space->bytes;

	if (fd >= 0)
		close(fd);
	return known;
}

bool space_of_name(const char *name, struct space *space)
{
	char directory[PATH_MAX];
	struct statfs fs;
	struct stat st;
	bool exists = stat(name, &st) == 0;

	if (exists && S_ISBLK(st.st_mode))
		return space_of_device(name, space);
	if (!exists && (!path_directory(name, directory) || stat(directory, &st) != 0))
		return false;
	if (statfs(exists ? name : directory, &fs) != 0 || !space_of_file(&fs, st.st_dev, space))
		return false;
	if (exists && S_ISREG(st.st_mode))
		space->bytes += (uint64_t)st.st_blocks * 512;
	return true;
}

bool space_is_shared(const struct space *a, const struct space *b)
{
	return a->is_device == b->is_device && a->device == b->device;
}

uint64_t space_sum(const struct space *spaces, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0, before; i < count; i++) {
		for (before = 0; before < i && !space_is_shared(&spaces[before], &spaces[i]); before++)
			;
		if (before == i)
			sum += min_u64(spaces[i].bytes, UINT64_MAX - sum);
	}
	return sum;
}
