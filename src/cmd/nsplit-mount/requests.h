// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers to the requests of FUSE, given by any thread: the views as files of one directory. */
#ifndef NSPLIT_CMD_NSPLIT_MOUNT_REQUESTS_H
#define NSPLIT_CMD_NSPLIT_MOUNT_REQUESTS_H

#include <pthread.h>
#include <sys/types.h>

#include "mount/view.h"

enum { VIEWS_MAX = 2 };

/* The files in the mount; constant. */
struct file_tree {
	const struct view *views[VIEWS_MAX];	/* borrowed */
	unsigned count;
	struct buffer_pool *pool;	/* borrowed */
	uid_t uid;
	gid_t gid;
	mode_t mode;			/* of files; the directory has x where this has r */
	int64_t time;			/* of all files; seconds since 1970 */
};

/* The user data of the FUSE session. */
struct mount_requests {
	const struct file_tree *tree;	/* borrowed */
	pthread_mutex_t lock;		/* covers the list below */
	struct open_file *files;	/* owned */
};

void mount_requests_init(struct mount_requests *requests, const struct file_tree *tree);

/* Also closes the files that are still open at unmount, which get no release request. */
void mount_requests_free(struct mount_requests *requests);

struct fuse_lowlevel_ops;
extern const struct fuse_lowlevel_ops mount_operations;

#endif
