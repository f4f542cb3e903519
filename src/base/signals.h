// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals, received through a descriptor.
 *
 * There is no signal handler: the signals are blocked in every thread and read from a signalfd by
 * the main thread, which polls it with its other descriptors, so no system call of another thread
 * is interrupted.  A program that is asked to stop cleans up and then ends by the signal, so that
 * its parent sees why it ended (signals_raise).
 */
#ifndef NSPLIT_BASE_SIGNALS_H
#define NSPLIT_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Blocks SIGUSR1 for the process until signals_open(): a request for a report must never kill the
 * program, even if it has nothing to report.
 */
void signals_hold_requests(void);

/*
 * The same, and ignores SIGPIPE and SIGXFSZ, so that write() fails with EPIPE or EFBIG instead, and
 * resets SIGCHLD, so that children can be waited for.
 */
void signals_prepare(void);

/*
 * The signals that signals_prepare() will ignore and that are not ignored yet.  Programs that this
 * process starts must not ignore them.  To be called before signals_prepare().
 */
void signals_heeded(sigset_t *set);

/* Before this process executes another program: these are not ignored any more, and none is blocked. */
void signals_release(const sigset_t *heeded);

/*
 * Blocks SIGINT, SIGTERM, SIGHUP and SIGUSR1 and opens a non-blocking descriptor that is readable
 * when one of them is pending.  To be called before any thread is created; the caller closes *fd.
 */
enum status signals_open(int *fd, struct error *e);

/* The request that a signal stands for. */
enum request {
	REQUEST_NONE,
	REQUEST_REPORT,			/* SIGUSR1 */
	REQUEST_STOP,			/* any other signal: finish what can be finished, and end */
	REQUEST_STOP_NOW,		/* another one at least a second later: end at once */
};

/* The requests to stop so far; all zero before the first. */
struct stop {
	int signal;			/* the first that asked to stop, or 0 */
	int latest;			/* the latest that did */
	double when;			/* clock_seconds() at the first */
	bool twice;			/* REQUEST_STOP_NOW was returned */
};

/*
 * Reads pending signals until one is a request, and returns that; REQUEST_NONE: no more signals are
 * pending.  fd comes from signals_open().
 */
enum request signals_next(int fd, struct stop *stop);

/* Ends the program by the default action of the signal.  Returns only if that is impossible. */
void signals_raise(int signal);

/* --- a second process ---------------------------------------------------- */

/*
 * A second process, so that the program can end although one of its threads cannot.
 *
 * A thread that waits for a device in uninterruptible sleep (state D) cannot be killed, not even by
 * SIGKILL, and a process with such a thread never ends: its parent, a kdump script, would wait
 * forever.  So a child does the work.  The parent only forwards signals, and exits as the child
 * does, or as soon as the child allows it.
 */

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
