// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals as something to read.
 *
 * No handler runs: the signals are blocked in every thread and come through a
 * descriptor, so that the main thread learns of them while it waits for
 * other things, and nothing that a thread does is cut short.  A program that was
 * told to stop cleans up, and then dies of the signal, so that its parent
 * learns the truth (signals_raise).
 */
#ifndef NSPLIT_BASE_SIGNALS_H
#define NSPLIT_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"

/*
 * For the whole process: SIGUSR1 waits for signals_open(), so that asking for a report never
 * kills, even a program that has none to give.
 */
void signals_hold_requests(void);

/* The same, and SIGPIPE becomes EPIPE and SIGXFSZ EFBIG; and children can be waited for. */
void signals_prepare(void);

/*
 * Of the signals that signals_prepare() will ignore, those that are not ignored already: what
 * a program that is started from here must not ignore.
 */
void signals_heeded(sigset_t *set);

/*
 * Blocks SIGINT, SIGTERM, SIGHUP and SIGUSR1 and gives a non-blocking descriptor
 * that is readable when one has come; call it before any thread is made.
 */
enum status signals_open(int *fd, struct error *e);

/* These four, except those that the parent left ignored (nohup); they stay ignored. */
void signals_watched(sigset_t *set);

/* What a signal asks for. */
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
 * Notes a signal and returns what it asks for.  Within a second of the first request to stop,
 * another is the same request, and REQUEST_NONE is returned: timeout(1), systemd and terminals
 * signal a process and its whole group.
 */
enum request stop_note(struct stop *stop, int signal);

/*
 * Reads the pending signals up to the first that asks for something and returns that;
 * REQUEST_NONE if none is pending.  Call it until then.  fd is from signals_open().
 */
enum request signals_next(int fd, struct stop *stop);

/* Ends the program by the default action of the signal.  Returns only if that is impossible. */
void signals_raise(int signal);

#endif
