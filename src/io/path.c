// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/path.h"

bool path_directory(const char *path, char directory[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	if (!slash) {
		strcpy(directory, ".");
		return true;
	}
	if (length >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (length == 0)
		length = 1;		/* the root directory */
	memcpy(directory, path, length);
	directory[length] = '\0';
	return true;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool path_is_within(const char *path, const char *above)
{
	size_t length = strlen(above);

	if (length == 1)
		return true;		/* the root directory */
	return strncmp(path, above, length) == 0 && (path[length] == '/' || !path[length]);
}

bool path_would_be_device(const char *path)
{
	char directory[PATH_MAX];
	struct stat dir, dev, root;

	if (!path_directory(path, directory) || stat(directory, &dir) < 0 ||
	    stat("/dev", &dev) < 0 || stat("/", &root) < 0 || dir.st_dev != dev.st_dev)
		return false;
	return dir.st_ino == dev.st_ino || dev.st_dev != root.st_dev;
}

enum status path_creation_error(struct error *e, int errnum, const char *path)
{
	char directory[PATH_MAX];
	struct stat st;

	if (errnum != ENOENT || !path_directory(path, directory) || stat(directory, &st) == 0 ||
	    errno != ENOENT)
		return error_system(e, errnum, "%s", path);
	error_set(e, STATUS_SYSTEM, "%s: the directory %s does not exist", path, directory);
	e->errnum = errnum;
	return e->status;
}

enum status path_sync_directory(const char *path, struct error *e)
{
	char directory[PATH_MAX];
	int fd, failed;

	if (!path_directory(path, directory))
		return error_system(e, errno, "%s", path);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* The directory may be writable but not readable; then it cannot be synced from here. */
	if (fd < 0 && errno == EACCES)
		return STATUS_OK;
	if (fd < 0)
		return error_system(e, errno, "%s", directory);
	failed = fsync(fd) < 0 ? errno : 0;
	close(fd);
	/* Some file systems neither support nor need fsync() of directories. */
	if (failed && failed != EINVAL && failed != ENOTSUP)
		return error_system(e, failed, "%s", directory);
	return STATUS_OK;
}

/* --- identity ------------------------------------------------------------------------ */

struct identity identity_of(const struct stat *st)
{
	struct identity id = { .type = st->st_mode & S_IFMT };

	if (S_ISBLK(st->st_mode) || S_ISCHR(st->st_mode)) {
		id.device = st->st_rdev;
	} else {
		id.device = st->st_dev;
		id.inode = st->st_ino;
	}
	return id;
}

bool identity_of_new(struct identity *id, const char *path)
{
	char directory[PATH_MAX];
	struct stat st;

	if (!path_directory(path, directory) || stat(directory, &st) < 0)
		return false;
	*id = (struct identity){ .device = st.st_dev, .inode = st.st_ino };
	snprintf(id->name, sizeof(id->name), "%s", path_base(path));
	return true;
}

bool identity_equal(const struct identity *a, const struct identity *b)
{
	return a->device == b->device && a->inode == b->inode && a->type == b->type &&
	       strcmp(a->name, b->name) == 0;
}

/* Linux, Documentation/admin-guide/devices.txt.  Not /dev/full, where a write fails. */
bool identity_keeps_nothing(const struct identity *id)
{
	enum { MEMORY = 1, NULL_DEVICE = 3, ZERO = 5, RANDOM = 8, URANDOM = 9 };
	unsigned number = minor(id->device);

	return id->type == S_IFCHR && major(id->device) == MEMORY &&
	       (number == NULL_DEVICE || number == ZERO || number == RANDOM || number == URANDOM);
}

/* --- where a file system is mounted -------------------------------------------------- */

/* fstab may have them. */
static size_t without_slashes_at_end(char *directory)
{
	size_t length = strlen(directory);

	while (length > 1 && directory[length - 1] == '/')
		directory[--length] = '\0';
	return length;
}

bool mount_point_in(FILE *table, const char *directory, struct mount_point *mount)
{
	/* The text of one entry; getmntent_r() cuts longer lines. */
	char text[3 * PATH_MAX];
	struct mntent entry;
	size_t longest = 0;

	while (getmntent_r(table, &entry, text, sizeof(text))) {
		size_t length = without_slashes_at_end(entry.mnt_dir);

		/* The directory of swap space is "none". */
		if (*entry.mnt_dir != '/' || length < longest || length >= PATH_MAX ||
		    !path_is_within(directory, entry.mnt_dir))
			continue;
		longest = length;
		memcpy(mount->directory, entry.mnt_dir, length + 1);
		snprintf(mount->type, sizeof(mount->type), "%s", entry.mnt_type);
	}
	return longest > 0;
}

static bool find_in(const char *name, const char *directory, struct mount_point *mount)
{
	FILE *table = fopen(name, "re");
	bool found;

	if (!table)
		return false;
	found = mount_point_in(table, directory, mount);
	fclose(table);
	return found;
}

bool mount_points_of(const char *file, struct mount_points *points)
{
	char real[PATH_MAX], directory[PATH_MAX];

	if (realpath(file, real)) {
		if (!path_directory(real, points->directory))
			return false;
	} else if (!path_directory(file, directory) || !realpath(directory, points->directory)) {
		return false;
	}
	points->is_mounted = find_in("/proc/self/mounts", points->directory, &points->mounted);
	points->is_listed = find_in("/etc/fstab", points->directory, &points->listed);
	return true;
}

/* --- space --------------------------------------------------------------------------- */

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
		.available = (uint64_t)fs->f_bavail * (uint64_t)fs->f_frsize,
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

void space_keep_free(struct space *space, uint64_t bytes)
{
	if (bytes && !space->is_device)
		space->bytes = space->available - min_u64(space->available, bytes);
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

/* --- lock ---------------------------------------------------------------------------- */

/*
 * The lock is of the open file (F_OFD_SETLK), so other descriptors that this process opens and closes
 * do not release it.  It is on one byte that no file reaches:
 *   - A server of SMB enforces locks, also against the descriptor that reads a record back.
 *   - flock(1) in a script, which may use the output itself as its lock file, is no other writer.
 *
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
