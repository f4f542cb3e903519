// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which file a name means, so that one named twice is found whatever it is
 * called: by device and inode; for devices by their number; for a file that is
 * not there yet by its directory and its name in it.
 */
#ifndef NSPLIT_IO_IDENTITY_H
#define NSPLIT_IO_IDENTITY_H

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct identity {
	dev_t device;
	ino_t inode;			/* 0 for a device */
	mode_t type;			/* S_IFMT bits; 0: not there yet, inode is the directory's */
	char name[NAME_MAX + 1];	/* in the directory, only if type is 0 */
};

/* Of something that exists. */
struct identity identity_of(const struct stat *st);
/* Of a name that does not exist; false if its directory does not either (errno). */
bool identity_of_new(struct identity *id, const char *path);
bool identity_equal(const struct identity *a, const struct identity *b);

#endif
