// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "io/identity.h"
#include "io/path.h"

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

	if (id->type != S_IFCHR || major(id->device) != MEMORY)
		return false;
	switch (minor(id->device)) {
	case NULL_DEVICE:
	case ZERO:
	case RANDOM:
	case URANDOM:
		return true;
	default:
		return false;
	}
}
