// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Going into the background.  The process that was started exits when the one in the background is
 * ready, with the status that this one determines.
 */
#ifndef NSPLIT_CMD_NSPLIT_MOUNT_DAEMON_H
#define NSPLIT_CMD_NSPLIT_MOUNT_DAEMON_H

#include <stdbool.h>

#include "base/error.h"

/*
 * Returns only in the child, or in the parent if there is no child.  Call it before threads are
 * created; *ready is for daemon_ready().  If the child ends before that, it has reported an error,
 * and the parent ends with EXIT_FAILED.
 */
enum status daemon_begin(int *ready, struct error *e);

/*
 * The parent exits with this status; the child leaves its terminal and directory.  False: a signal
 * has ended the parent, so the child should end, too.
 */
bool daemon_ready(int ready, int exit_status);

#endif
