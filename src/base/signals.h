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

/* The next signal that has come, or 0. */
int signals_next(int fd);

/* SIGUSR1 asks for a report; the others ask to stop. */
bool signal_asks_to_stop(int signal);

/* These four, but for those that the parent left ignored (nohup): they stay so. */
void signals_watched(sigset_t *set);

/* What the program was asked; all zero before. */
struct stop {
	int signal;			/* the first that asked to stop, or 0 */
	double when;			/* clock_seconds() then */
	bool twice;			/* and again: at once */
};

/*
 * Notes a signal that asks to stop.  What comes within a second of the first is the same
 * request: timeout(1), systemd and terminals signal a process and its whole group.
 */
void stop_ask(struct stop *stop, int signal);

/* Dies of the signal.  Returns only if that is impossible. */
void signals_raise(int signal);

#endif
