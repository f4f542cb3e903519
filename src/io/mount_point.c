// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <mntent.h>
#include <stdlib.h>
#include <string.h>

#include "io/mount_point.h"
#include "io/path.h"

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
