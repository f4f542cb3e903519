// SPDX-License-Identifier: GPL-2.0-or-later
/* Who may read what nsplit-mount shows: --mode, --group, and what -o has to do with it. */
#ifndef NSPLIT_CMD_NSPLIT_MOUNT_ACCESS_H
#define NSPLIT_CMD_NSPLIT_MOUNT_ACCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/names.h"

/* A core holds all that was in memory, so by default only the user who mounts it may read it. */
struct mount_access {
	mode_t mode;			/* of the files; --mode */
	bool mode_given;
	gid_t group;			/* of all; --group */
	bool group_given;
};

enum status mount_access_set_mode(struct mount_access *a, const char *text, struct error *e);
/* A name from /etc/group, or a number. */
enum status mount_access_set_group(struct mount_access *a, const char *text, struct error *e);

/*
 * Completes it.  STATUS_USAGE: an option for FUSE (names of comma-separated lists) that the two above
 * stand for, or others are to read without -o allow_other.
 */
enum status mount_access_check(struct mount_access *a, const struct names *fuse, struct error *e);

#endif
