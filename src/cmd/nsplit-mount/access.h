// SPDX-License-Identifier: GPL-2.0-or-later
/* Who may read the files of nsplit-mount: --mode, --group, and related options of -o. */
#ifndef NSPLIT_CMD_NSPLIT_MOUNT_ACCESS_H
#define NSPLIT_CMD_NSPLIT_MOUNT_ACCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/names.h"

/*
 * A core contains everything that was in memory, so by default only the mounting user may read it.
 */
struct mount_access {
	mode_t mode;			/* of the files; --mode */
	bool mode_given;
	gid_t group;			/* of all files; --group */
	bool group_given;
};

enum status mount_access_set_mode(struct mount_access *a, const char *text, struct error *e);
/* A name from /etc/group, or a number. */
enum status mount_access_set_group(struct mount_access *a, const char *text, struct error *e);

/*
 * Fills in defaults.  STATUS_USAGE: -o (fuse, comma-separated lists) has an option that --mode or
 * --group replaces, or others may read the files but -o allow_other is missing.
 */
enum status mount_access_complete(struct mount_access *a, const struct names *fuse,
				  struct error *e);

#endif
