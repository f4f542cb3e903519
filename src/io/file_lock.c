// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lock is of the open file (F_OFD_SETLK), so other descriptors that this process opens and closes
 * do not release it.  It is on one byte that no file reaches:
 *   - A server of SMB enforces locks, also against the descriptor that reads a record back.
 *   - flock(1) in a script, which may use the output itself as its lock file, is no other writer.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/alignment.h"
#include "io/file_lock.h"
#include "io/mount_point.h"

/*
 * NFS version 3 has locks in a service of its own.  If a firewall blocks that, a call never returns,
 * although the file could be written.  Version 4 has the type "nfs4".
 */
static bool may_hang(int fd, const char *name)
{
	struct mount_points points;
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0 || fs.f_type != NFS_SUPER_MAGIC)
		return false;
	return !mount_points_of(name, &points) || !points.is_mounted ||
	       strcmp(points.mounted.type, "nfs4") != 0;
}

enum status file_lock(int fd, const char *name, struct error *e)
{
	struct flock lock = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)OFFSET_MAX - 1,
		.l_len = 1,
	};

	if (may_hang(fd, name) || fcntl(fd, F_OFD_SETLK, &lock) == 0 || errno != EAGAIN)
		return STATUS_OK;
	return error_set(e, STATUS_SYSTEM, "%s: is being written by another process", name);
}
