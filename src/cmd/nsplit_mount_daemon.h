// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Going into the background, with an exit status that is true: what was started ends when the
 * background is at work, and as that says.
 */
#ifndef NSPLIT_CMD_NSPLIT_MOUNT_DAEMON_H
#define NSPLIT_CMD_NSPLIT_MOUNT_DAEMON_H

#include <stdbool.h>

#include "base/error.h"

/*
 * Returns in the child only, before any thread is made; *ready is for daemon_ready().  A child that
 * ends before that is a failure, of which it has told.
 */
enum status daemon_begin(int *ready, struct error *e);

/*
 * The parent ends with this status, and the child has no terminal or directory any more.  False:
 * the parent has ended by a signal, so nobody wants the child.
 */
bool daemon_ready(int ready, int exit_status);

#endif
