// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the file system of a directory is mounted, now and by /etc/fstab. */
#ifndef NSPLIT_IO_MOUNT_POINT_H
#define NSPLIT_IO_MOUNT_POINT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

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

#endif
