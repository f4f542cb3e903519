// SPDX-License-Identifier: GPL-2.0-or-later
/* The FUSE session: mounting, serving requests, unmounting. */
#ifndef NSPLIT_CMD_NSPLIT_MOUNT_FUSE_H
#define NSPLIT_CMD_NSPLIT_MOUNT_FUSE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/names.h"
#include "mount/view.h"

enum { VIEWS_MAX = 2 };

/* The files in the mount; constant. */
struct file_tree {
	const struct view *views[VIEWS_MAX];	/* borrowed */
	unsigned count;
	struct cache *cache;		/* borrowed */
	uid_t uid;
	gid_t gid;
	mode_t mode;			/* of files; the directory has x where this has r */
	int64_t time;			/* of all files; seconds since 1970 */
};

struct mount_session;

/*
 * The absolute path of a directory, since the process in the background changes to the root
 * directory; the caller frees it.  Refuses a directory on which a file system is mounted: a second
 * one would hide it.
 */
enum status mount_point_find(char **path, const char *name, struct error *e);

/* True if the directory holds anything, which a mount hides. */
bool mount_point_hides(const char *path);

/*
 * Mounts the tree, which must not be moved, on a directory.  options are those of -o.  Until
 * mount_session_use_syslog(), libfuse prints its messages, which may be parts of a line, on
 * standard error.
 */
enum status mount_session_new(struct mount_session **session, const struct file_tree *tree,
			      const char *mountpoint, const struct names *options,
			      struct error *e);
void mount_session_use_syslog(void);

/* True if a signal has asked to stop, or the directory was unmounted. */
bool mount_session_stopped(const struct mount_session *session);

/* Answers requests until the directory is unmounted or a signal asks to stop. */
enum status mount_session_serve(struct mount_session *session, unsigned threads, struct error *e);

/* Unmounts if still mounted.  session may be NULL. */
void mount_session_free(struct mount_session *session);

#endif
