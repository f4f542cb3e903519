// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A second process, so that the program can end although one of its threads cannot.
 *
 * A thread that waits for a device in the kernel (state D) takes no signal, not even
 * SIGKILL, and a process with such a thread never ends: its parent, a kdump
 * script, would wait for ever.  So the work is done in a child, and what was started first
 * only passes signals on, and ends as the child does, or when the child says so.
 */
#ifndef NSPLIT_BASE_SUPERVISE_H
#define NSPLIT_BASE_SUPERVISE_H

#include <sys/types.h>

/*
 * Before any thread is made, and while nothing is buffered.  Returns in the child, with the
 * parent's process id; the parent never returns.  0: no second process could be made, and
 * this one does the work alone.
 *
 * SIGINT, SIGTERM, SIGHUP and SIGUSR1 are passed on.  A signal to the whole group reaches the child
 * from others, too, and then perhaps not from the parent: one that is pending is not queued again.
 * So the child listens to anybody, and leaves it to the parent to know a second request from
 * the first (struct stop in signals.h): at that, the parent kills it.  The child dies with the
 * parent.
 */
pid_t supervise(void);

/*
 * In the child, when what follows may never end: unless the child ends by itself in the next
 * minute, the parent (0: there is none) ends with this status, or by this signal if it is not 0.
 * When it is called again: at once.
 */
void supervise_release(pid_t parent, int status, int signal);

#endif
