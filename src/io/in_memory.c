// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "io/in_memory.h"
#include "io/path.h"

/* "ram0" and "zram12".  The digit excludes other names, such as "random". */
static bool is_ram_disk(const char *device)
{
	const char *number = device + (*device == 'z');

	return strncmp(number, "ram", 3) == 0 && isdigit((unsigned char)number[3]);
}

bool in_memory_device(dev_t device, char what[IN_MEMORY_LENGTH])
{
	char link[64], target[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(device), minor(device));
	length = readlink(link, target, sizeof(target) - 1);
	if (length <= 0)
		return false;
	target[length] = '\0';
	if (!is_ram_disk(path_base(target)))
		return false;
	snprintf(what, IN_MEMORY_LENGTH, "%s", path_base(target));
	return true;
}

/* If this line of mountinfo is the mount of the device: its upperdir=, within line; else NULL. */
static char *upper_of(char *line, dev_t device)
{
	unsigned major_number, minor_number;
	char *upper;

	if (sscanf(line, "%*u %*u %u:%u", &major_number, &minor_number) != 2 ||
	    makedev(major_number, minor_number) != device)
		return NULL;
	upper = strstr(line, ",upperdir=");
	if (!upper)
		return NULL;
	upper += strlen(",upperdir=");
	upper[strcspn(upper, ",\n")] = '\0';
	return upper;
}

/* Files of an overlay are written to its upper directory, if that is still visible here. */
static bool upper_file_system(dev_t device, struct statfs *fs)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	size_t size = 0;
	char *line = NULL;
	bool found = false;

	while (mounts && !found && getline(&line, &size, mounts) > 0) {
		const char *upper = upper_of(line, device);

		found = upper && statfs(upper, fs) == 0;
	}
	free(line);
	if (mounts)
		fclose(mounts);
	return found;
}

static bool is_memory(const struct statfs *fs, char what[IN_MEMORY_LENGTH])
{
	if (fs->f_type != TMPFS_MAGIC && fs->f_type != RAMFS_MAGIC)
		return false;
	snprintf(what, IN_MEMORY_LENGTH, "%s", fs->f_type == TMPFS_MAGIC ? "tmpfs" : "ramfs");
	return true;
}

bool in_memory_file(const char *name, char what[IN_MEMORY_LENGTH])
{
	char directory[PATH_MAX];
	const char *existing = name;
	struct statfs fs;
	struct stat st;

	if (stat(existing, &st) < 0) {
		existing = directory;
		if (!path_directory(name, directory) || stat(existing, &st) < 0)
			return false;
	}
	if (statfs(existing, &fs) < 0)
		return false;
	if (fs.f_type == OVERLAYFS_SUPER_MAGIC && !upper_file_system(st.st_dev, &fs))
		return false;
	return is_memory(&fs, what) || in_memory_device(st.st_dev, what);
}
