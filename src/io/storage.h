// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds what a file or block device is stored on: a loop device on its file, a partition on its
 * disk, a volume (LVM, RAID, encryption) on other devices, a file on the device of its file system.
 * This shows whether writing to one would change the other.
 */
#ifndef NSPLIT_IO_STORAGE_H
#define NSPLIT_IO_STORAGE_H

#include <stdint.h>

#include "base/error.h"
#include "io/path.h"

/* The bytes [from, to) of a device or file. */
struct storage_part {
	dev_t device;
	ino_t inode;			/* of a file on the device; 0: the device itself */
	uint64_t from, to;
	bool exact;			/* all of these bytes; else an unknown part of them */
};

struct storage {
	struct storage_part *parts;	/* the file or device, and all that it is stored on; owned */
	size_t count;
	bool unknown;			/* for one of the devices this could not be found out */
};

/* Where sysfs is mounted. */
#define STORAGE_SYSFS "/sys"

/*
 * Finds everything that a file or block device is stored on; nothing for other types.  Fails only
 * if out of memory.  Call storage_free() in any case.  sysfs is STORAGE_SYSFS, except in tests.
 *
 * Not found: the disks of a file system without a block device number (btrfs, ZFS, network file
 * systems).  The kernel refuses to open such disks exclusively while they are mounted.
 */
enum status storage_find(struct storage *s, const struct identity *id, const char *sysfs,
			 struct error *e);
void storage_free(struct storage *s);

/*
 * True if some bytes belong to both.  False for two files of one file system, two partitions of a
 * disk, and two volumes on the same disks.
 */
bool storage_shared(const struct storage *a, const struct storage *b);

#endif
