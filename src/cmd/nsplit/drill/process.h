// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The processes of a drill: each step is a child, and the parent waits for it, passes signals on, and removes what is
 * left, whatever happens to the child.
 */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_PROCESS_H
#define NSPLIT_CMD_NSPLIT_DRILL_PROCESS_H

#include <signal.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/signals.h"

struct drill_signals {
	sigset_t watched;	/* blocked until the end */
	sigset_t before;	/* the mask of the process before */
	const sigset_t *heeded;	/* see signals_heeded(); borrowed */
	struct stop stop;	/* requests so far */
};

void drill_signals_begin(struct drill_signals *s, const sigset_t *heeded);
/* Notes signals that are pending. */
void drill_signals_look(struct drill_signals *s);

/* Forks.  *child is 0 in the child, which has the signals of the process before, and is killed if the parent dies. */
enum status drill_fork(struct drill_signals *s, pid_t *child, struct error *e);

/* Returns the wait status.  What a signal means, and a second one, is up to the child. */
int drill_wait(struct drill_signals *s, pid_t child);

/* Runs a command in the shell; the text of *e names it. */
enum status drill_shell(struct drill_signals *s, const char *command, struct error *e);

#endif
