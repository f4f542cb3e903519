// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a block device holds: a file system, a RAID member, swap space, a partition table.  Only
 * signatures are looked for, with libblkid.  A build without it (configure --without-blkid)
 * accepts a device whose first and last MiB are zero, and one that holds a member.
 */
#ifndef NSPLIT_IO_CONTENTS_H
#define NSPLIT_IO_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * STATUS_USAGE: the device holds something, which the error names; STATUS_SYSTEM: it cannot be
 * read.  fd is open for reading; name is for the error.
 */
enum status contents_refuse(int fd, const char *name, struct error *e);

/* What a device was when it was looked at. */
struct contents_seen {
	bool known;
	uint64_t hash;		/* of the parts of it where signatures are */
};

/*
 * The same for a device that is not open.  It is read by a process of its own, because a read from
 * a disk that hangs cannot be ended, and because libblkid takes a MiB or more.  After
 * CONTENTS_PATIENCE seconds the answer is STATUS_OK, and *seen is not known: the caller has to
 * ask again when the device is open.
 */
enum { CONTENTS_PATIENCE = 5 };
enum status contents_refuse_unopened(const char *name, struct contents_seen *seen,
				     struct error *e);

/*
 * Once more, for a device that is open now.  If it is what was seen, libblkid is not asked: in a
 * capture kernel its memory may not be there, and it is in no plan.
 */
enum status contents_refuse_changed(int fd, const char *name, const struct contents_seen *seen,
				    struct error *e);

/*
 * Erases all signatures, as wipefs(8) does: one that a member does not cover would let the
 * system take the device for a RAID member, and start it, after the reboot.  fd is open for
 * reading and writing.  A device that fails here may still take a member, and if it does not,
 * writing that will say so.
 */
void contents_erase(int fd);

#endif
