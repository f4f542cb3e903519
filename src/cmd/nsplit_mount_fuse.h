// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Views as files of a file system: all that talks with FUSE.
 */
#ifndef NSPLIT_CMD_NSPLIT_MOUNT_FUSE_H
#define NSPLIT_CMD_NSPLIT_MOUNT_FUSE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/names.h"
#include "mount/view.h"

enum { SHOWN_MAX = 2 };

struct shown {
	const struct view *views[SHOWN_MAX];	/* borrowed */
	unsigned count;
	struct buffer_pool *pool;			/* borrowed */
	uid_t uid;
	gid_t gid;
	mode_t mode;				/* of files; who may read them may enter directories */
	int64_t time;				/* of all files; seconds since 1970 */
};

struct mounted;

/*
 * Mounts what is shown, which stays where it is, on a directory.  options: those of -o.  FUSE's own
 * words, which come in pieces of a line, go to standard error until mounted_use_syslog().
 */
enum status mounted_new(struct mounted **mounted, const struct shown *shown,
			const char *mountpoint, const struct names *options, struct error *e);
void mounted_use_syslog(void);

/* A signal has asked to stop, or it is unmounted already. */
bool mounted_stopped(const struct mounted *mounted);

/* Answers requests until it is unmounted, or a signal asks to stop. */
enum status mounted_serve(struct mounted *mounted, unsigned threads, struct error *e);

/* Unmounts, if it is still mounted.  NULL is none. */
void mounted_free(struct mounted *mounted);

#endif
