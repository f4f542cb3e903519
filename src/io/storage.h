// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a file or block device is stored on: a loop device on its file, a partition on its disk, a
 * volume (LVM, RAID, encryption) on other devices, a file on the device of its file system.
 * So it is known whether writing to one of two would change the other.
 */
#ifndef NSPLIT_IO_STORAGE_H
#define NSPLIT_IO_STORAGE_H

#include <stdint.h>

#include "base/error.h"
#include "io/identity.h"

/* Bytes from to to (excluded) of a device or file. */
struct storage_part {
	dev_t device;
	ino_t inode;			/* 0: it is the device itself */
	uint64_t from, to;
	bool exact;			/* all of these bytes; else some of them, which are not known */
};

struct storage {
	struct storage_part *parts;	/* the file or device itself, and all that is below it; owned */
	size_t count;
	bool unknown;			/* what is below one of the devices cannot be told */
};

/* Where sysfs is mounted. */
#define STORAGE_SYSFS "/sys"

/*
 * Finds all that a file or block device is stored on; anything else is stored on nothing.  Only for
 * want of memory it fails.  storage_free() is due in any case.
 *
 * Not found: the disks of a file system that has no device number of its own (btrfs, ZFS, a
 * network's).  The kernel refuses to open these for exclusive use while it is mounted.
 */
enum status storage_find(struct storage *s, const struct identity *id, const char *sysfs,
			 struct error *e);
void storage_free(struct storage *s);

/*
 * Are there bytes that belong to both?  Two files of one file system, two partitions of a disk and
 * two volumes on the same disks have none.
 */
bool storage_shared(const struct storage *a, const struct storage *b);

#endif
