// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is in an initramfs.  The programs that come with the one that has made it read it: lsinitrd of dracut,
 * or lsinitramfs and unmkinitramfs of initramfs-tools.  They know its parts and all compressors, so nothing is
 * known here without them.
 */
#ifndef NSPLIT_SYSTEM_INITRAMFS_H
#define NSPLIT_SYSTEM_INITRAMFS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/names.h"

struct initramfs {
	const char *image;	/* its path; the caller's */
	bool is_dracut;		/* lsinitrd reads it */
	/* Without a slash at the beginning; those in an image in it, too. */
	struct names files;
	uint64_t bytes;		/* of memory that the files take when they are unpacked; in an image, none */
};

/* STATUS_MISSING: none of the programs is installed, or it cannot list the image. */
enum status initramfs_open(struct initramfs *initramfs, const char *image, struct error *e);

void initramfs_close(struct initramfs *initramfs);

/* The file as it is called in the list, or NULL. */
const char *initramfs_find(const struct initramfs *initramfs, const char *name);
/* The same for a file in any directory. */
const char *initramfs_find_base(const struct initramfs *initramfs, const char *base);

/*
 * The contents of a file of the list, at their beginning; the caller closes it.  STATUS_MISSING: the program
 * has failed.
 */
enum status initramfs_read(const struct initramfs *initramfs, const char *file, FILE **contents,
			   struct error *e);

#endif
