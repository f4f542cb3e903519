// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a file that exists may be written to: who owns it, and what it holds.
 *
 * The owner of a file or pipe can read what is written to it, so a user who creates one with the name
 * of a future dump could read the core.  And a core, a dump or a member may be the only one: a slip on
 * the command line, such as operands in the wrong order, must not replace it.
 */
#ifndef NSPLIT_IO_EXISTING_H
#define NSPLIT_IO_EXISTING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/error.h"
#include "io/path.h"

/* Flags: what may be written to. */
enum {
	PERMIT_OVERWRITE = 1,		/* existing files; devices that hold nothing */
	PERMIT_DEVICES = 2,		/* with PERMIT_OVERWRITE: devices, whatever they hold */
	PERMIT_ANY_OWNER = 4,		/* files and named pipes of other users */
	PERMIT_DUMPS = 8,		/* with PERMIT_OVERWRITE: cores, dumps, members and compressed files, too */
};

/* --- owners --------------------------------------------------------------------------- */

/*
 * STATUS_USAGE: st is a file, named pipe or symbolic link, and belongs to neither the effective
 * user nor root.  Devices are accepted: only root can create them.
 */
enum status owner_refuse(const struct stat *st, const char *name, struct error *e);

/*
 * The same for a name: checks both a symbolic link and its target, if they exist.  has_option: the sentence names
 * --any-owner.
 */
enum status owner_refuse_name(const char *name, bool has_option, struct error *e);

/*
 * STATUS_USAGE: others than root and the effective user may write to this file, which exists, or may replace it or a
 * directory or symbolic link on the way to it.  Root's group counts as root, and the private group of the user as the user.
 */
enum status writers_refuse(const char *path, struct error *e);

/* --- contents ------------------------------------------------------------------------- */

/* What a file or device holds. */
enum holding {
	HOLDS_OTHER,
	HOLDS_CORE,		/* an ELF core */
	HOLDS_DUMP,		/* kdump-compressed, plain or flattened, or of another program */
	HOLDS_MEMBER,
	HOLDS_PACKED,		/* what gzip or another general compressor has written */
};

/* By its first bytes; and, to protect it, also by the footer of a member at its end. */
enum holding holding_of_head(int fd);
enum holding holding_of_fd(int fd);
/* HOLDS_OTHER also of what is not a file or block device, and of what cannot be read. */
enum holding holding_of(const char *name);
/* "a core" */
const char *holding_text(enum holding holding);

/* STATUS_USAGE: it is one of these. */
enum status holding_refuse(enum holding holding, const char *name, struct error *e);

/* --- both ----------------------------------------------------------------------------- */

/*
 * What the name of an output leads to ("-": standard output): *id, which has type 0 if there is nothing yet.
 * STATUS_USAGE, with *id: as existing_refuse() says; also standard output that is a terminal, and a dangling
 * symbolic link.
 */
enum status existing_probe(const char *name, unsigned permits, struct identity *id, struct error *e);

/*
 * STATUS_USAGE: what st describes is neither a file nor a device nor a pipe, or permits do not allow writing to it.
 * What a block device holds is not looked at: that may hang.
 */
enum status existing_refuse(const char *name, const struct stat *st, unsigned permits, struct error *e);

/* --- block devices -------------------------------------------------------------------- */

/*
 * The contents of a block device: a file system, a RAID member, swap space, a partition table.
 * libblkid looks for signatures.  A build without it (configure --without-blkid) only recognises
 * blank devices, whose first and last MiB are zero, and members.
 *
 * STATUS_OK: the device contains nothing, or a member.  STATUS_USAGE: it contains something else,
 * which the message names.  STATUS_SYSTEM: it cannot be read.  fd is open for reading; name is for
 * messages.
 */
enum status contents_refuse(int fd, const char *name, struct error *e);

/*
 * The same for a device that is not open; a core, a dump or a member is refused unless permits include
 * PERMIT_DUMPS.  A child process reads it, because a read from a disk
 * that hangs cannot be interrupted, and because libblkid allocates a MiB or more.  If the child has
 * not answered after CONTENTS_PATIENCE seconds, returns STATUS_OK with 0 in *seen, and the
 * caller has to check again once the device is open.
 */
enum { CONTENTS_PATIENCE = 5 };
enum status contents_refuse_unopened(const char *name, unsigned permits, uint64_t *seen,
				     struct error *e);

/*
 * The same for a device that was examined before and is open now.  libblkid is used only if the
 * device has changed: in a capture kernel there may be too little memory for it, and the memory
 * plan does not include it.
 */
enum status contents_refuse_changed(int fd, const char *name, unsigned permits,
				    uint64_t seen, struct error *e);

/*
 * Erases all signatures, as wipefs(8) does.  With a signature that the member does not overwrite,
 * the system could take the device for a RAID member after the reboot, and start it.  fd is open
 * for reading and writing.  Errors are ignored: the device may still accept a member, and if not,
 * writing the member will fail.
 */
void contents_erase(int fd);

/* --- side files ----------------------------------------------------------------------- */

/* A file that a program writes beside its outputs, such as that of --stats. */
struct side_file {
	const char *called;	/* "--stats" */
	const char *name;
	/*
	 * What shows that the same option has written a file: it begins with the first of these words, and its first
	 * SIDE_FILE_HEAD bytes contain the others in this order.  NULL ends the words.
	 */
	const char *const *signs;
};

enum { SIDE_FILE_HEAD = 4096 };

/*
 * STATUS_USAGE: there is a file of this name that may not be replaced, because it belongs to another user or was
 * not written by the same option.  An empty file, a pipe and a character device may be written to.
 */
enum status side_file_refuse(const struct side_file *f, struct error *e);

/* Checks that again, and creates or empties the file, with mode 0600. */
enum status side_file_open(const struct side_file *f, FILE **file, struct error *e);

/*
 * FILE.sha256 beside a dump: a line of sha256sum.  file: the name of FILE.  The new file is safe against power loss.  It fails if
 * FILE.sha256 exists.
 */
enum status digest_file_write(const char *file, const uint8_t sum[DIGEST_LENGTH], struct error *e);
/*
 * For each program that is about to overwrite FILE: removes FILE.sha256 if it is there, holds a digest and may be
 * removed.
 */
void digest_file_remove(const char *file);

#endif
