// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of files: their directories, whether two mean the same file, where it is mounted, and its space and lock. */
#ifndef NSPLIT_IO_PATH_H
#define NSPLIT_IO_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"

/* "a" → ".", "/a" → "/", "b/a" → "b".  False, with errno ENAMETOOLONG: does not fit. */
bool path_directory(const char *path, char directory[PATH_MAX]);

/* The part after the last slash; points into path. */
const char *path_base(const char *path);

/* True if path is the directory above or below it, by their names, which end in no slash but "/". */
bool path_is_within(const char *path, const char *above);

/*
 * For a path that does not exist: whether it is directly in /dev or elsewhere on a devtmpfs, so
 * that it names a missing device, and a file created there would be in RAM and gone after the
 * reboot.
 */
bool path_would_be_device(const char *path);

/*
 * The error of a file that could not be created.  If its directory does not exist, the text names the
 * directory: "/a/b: No such file or directory" does not say which of the two is missing.
 */
enum status path_creation_error(struct error *e, int errnum, const char *path);

/* Makes the directory entry of path safe against power loss. */
enum status path_sync_directory(const char *path, struct error *e);

/* --- identity ------------------------------------------------------------------------- */

/*
 * To find out whether two names mean the same one: device and inode; for a
 * device file, its device number; for a file that does not exist yet, its directory and its name.
 */
struct identity {
	dev_t device;
	ino_t inode;			/* 0 for a device */
	mode_t type;			/* S_IFMT bits; 0: does not exist, inode is of the directory */
	char name[NAME_MAX + 1];	/* in that directory; only if type is 0 */
};

/* Of an existing file. */
struct identity identity_of(const struct stat *st);
/* Of a file that does not exist.  False, with errno: its directory does not exist either. */
bool identity_of_new(struct identity *id, const char *path);
bool identity_equal(const struct identity *a, const struct identity *b);
/* A device that keeps nothing of what is written to it, such as /dev/null. */
bool identity_keeps_nothing(const struct identity *id);

/* --- where the file system of a directory is mounted, now and by /etc/fstab ------------- */

struct mount_point {
	char directory[PATH_MAX];
	char type[32];		/* "ext4" */
};

/*
 * The mount point of a directory in a table with the format of fstab(5): the longest that contains
 * it; of two that are equal, the last.  The directory is absolute and contains no symbolic links.
 * False: the table has none.
 */
bool mount_point_in(FILE *table, const char *directory, struct mount_point *mount);

/* Both, for the directory of a file that may not exist yet. */
struct mount_points {
	bool is_mounted;		/* /proc/self/mounts could be read */
	struct mount_point mounted;
	bool is_listed;			/* /etc/fstab has a line for it, or for a directory above it */
	struct mount_point listed;
	char directory[PATH_MAX];	/* of the file, without symbolic links */
};

/* False: the directory does not exist. */
bool mount_points_of(const char *file, struct mount_points *points);

/* --- how many bytes a file or a block device can hold --------------------------------- */

struct space {
	uint64_t bytes;			/* the size of a device; else the free space, */
	uint64_t available;		/* and that for others than root */
	dev_t device;			/* the device, or that of the file system */
	bool is_device;
	/*
	 * More bytes certainly do not fit.  False for file systems that compress or share data, or
	 * that do not know their free space.
	 */
	bool certain;
};

/* False: it is neither a regular file nor a block device, or its space is unknown. */
bool space_of_fd(int fd, struct space *space);

/* The same for a name.  A file need not exist; the blocks of one that exists count as free. */
bool space_of_name(const char *name, struct space *space);

bool space_is_shared(const struct space *a, const struct space *b);

/*
 * Makes the space of a file system what is available to users other than root, less this number of bytes.  0: all of
 * the space may be used.
 */
void space_keep_free(struct space *space, uint64_t bytes);

/* The bytes of all of them; a device or a file system counts once. */
uint64_t space_sum(const struct space *spaces, size_t count);

/* --- two processes must not write the same file --------------------------------------- */

/*
 * Locks a regular file that is open for writing, until the descriptor is closed.  Call it before the
 * file is changed.  STATUS_SYSTEM: another process has the lock.  A file that cannot be locked for
 * any other reason is written without a lock, and the result is STATUS_OK.
 */
enum status file_lock(int fd, const char *name, struct error *e);

#endif
