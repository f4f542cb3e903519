// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A second process, so that the program can end although one of its threads cannot.
 *
 * A thread that waits for a device in uninterruptible sleep (state D) cannot be killed, not even by
 * SIGKILL, and a process with such a thread never ends: its parent, a kdump script, would wait
 * forever.  So a child does the work.  The parent only forwards signals, and exits as the child
 * does, or as soon as the child allows it.
 */
#ifndef NSPLIT_BASE_SUPERVISE_H
#define NSPLIT_BASE_SUPERVISE_H

#include <sys/types.h>

struct supervisor {
	/*
	 * Called in the parent when the child has ended without being asked to; wait_status as from waitpid().  May
	 * execute another program in place of the parent.  If it returns, the parent ends as the child did.
	 */
	void (*ended)(void *arg, int wait_status);
	void *arg;
};

/*
 * To be called before any thread is created, and while no stdio buffer holds data.  Returns in the
 * child, with the parent's process ID; the parent never returns.  0: fork() failed, and this
 * process does the work itself.  supervisor: borrowed; NULL: none.
 *
 * The parent forwards SIGINT, SIGTERM, SIGHUP and SIGUSR1.  A signal to the process group also
 * reaches the child directly, and then perhaps only once, since a pending signal is not queued
 * again.  So the child accepts signals from any sender, and only the parent counts requests (struct
 * stop in signals.h): at the second one it kills the child.  The child is killed if the parent
 * dies.
 */
pid_t supervise(const struct supervisor *supervisor);

/*
 * Called by the child before something that may block forever: unless the child ends within the
 * next minute, the parent (0: none) exits with this status, or by this signal if it is not 0.
 * After a second call it does so at once.
 */
void supervise_release(pid_t parent, int status, int signal);

#endif
