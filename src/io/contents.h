// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The contents of a block device: a file system, a RAID member, swap space, a partition table.
 * libblkid looks for signatures.  A build without it (configure --without-blkid) only recognises
 * blank devices, whose first and last MiB are zero, and members.
 */
#ifndef NSPLIT_IO_CONTENTS_H
#define NSPLIT_IO_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * STATUS_OK: the device contains nothing, or a member.  STATUS_USAGE: it contains something else,
 * which the message names.  STATUS_SYSTEM: it cannot be read.  fd is open for reading; name is for
 * messages.
 */
enum status contents_refuse(int fd, const char *name, struct error *e);

/* The state of a device when it was examined. */
struct contents_seen {
	bool known;
	uint64_t hash;		/* of the parts that can contain signatures */
};

/*
 * The same for a device that is not open; a core, a dump or a member is refused unless permits include
 * PERMIT_DUMPS (io/existing.h).  A child process reads it, because a read from a disk
 * that hangs cannot be interrupted, and because libblkid allocates a MiB or more.  If the child has
 * not answered after CONTENTS_PATIENCE seconds, returns STATUS_OK with seen->known = false, and the
 * caller has to check again once the device is open.
 */
enum { CONTENTS_PATIENCE = 5 };
enum status contents_refuse_unopened(const char *name, unsigned permits, struct contents_seen *seen,
				     struct error *e);

/*
 * The same for a device that was examined before and is open now.  libblkid is used only if the
 * device has changed: in a capture kernel there may be too little memory for it, and the memory
 * plan does not include it.
 */
enum status contents_refuse_changed(int fd, const char *name, unsigned permits,
				    const struct contents_seen *seen, struct error *e);

/*
 * Erases all signatures, as wipefs(8) does.  With a signature that the member does not overwrite,
 * the system could take the device for a RAID member after the reboot, and start it.  fd is open
 * for reading and writing.  Errors are ignored: the device may still accept a member, and if not,
 * writing the member will fail.
 */
void contents_erase(int fd);

#endif
