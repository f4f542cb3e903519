// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The identity of a file, to find out whether two names mean the same one: device and inode; for a
 * device file, its device number; for a file that does not exist yet, its directory and its name.
 */
#ifndef NSPLIT_IO_IDENTITY_H
#define NSPLIT_IO_IDENTITY_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

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

#endif
