// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command: a line for the shell, run as a child that is fed through a pipe.
 *
 * It runs in a session of its own.  So Ctrl-C does not end it while members are being closed,
 * a program in it that would ask for a password fails at once instead of waiting for one, and
 * all that it started can be ended together, as a process group.
 *
 * One thread at a time uses a command; command_signal() alone may come from any other.  So the
 * child is waited for first and reaped only then, under the lock: as long as it is not reaped,
 * its number belongs to nobody else.
 */
#ifndef NSPLIT_IO_COMMAND_H
#define NSPLIT_IO_COMMAND_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Bytes of the pipe: as large as an unprivileged process may make it, a whole usual record. */
enum { COMMAND_PIPE = 1 << 20 };

struct command {
	char *text;		/* as given; owned */
	char *line;		/* for sh -c: files that it makes are for their owner alone; owned */
	char *variable;		/* "FILE=..." for its environment; owned, NULL: none */
	bool mute;		/* its standard output is /dev/null, and not ours */
	sigset_t defaults;	/* signals that are ignored here and shall not be there */
	pthread_mutex_t lock;
	pid_t child;		/* 0: none; changed under lock, by the thread that uses it */
	bool killed;		/* by command_signal(), perhaps before there was a child; under lock */
};

/* How it ended. */
struct command_end {
	bool exited;
	int number;		/* exit status, or the signal */
};

/* file: what $FILE is in it; NULL: what it is here.  NULL: no memory. */
struct command *command_new(const char *text, const char *file);
/* Nothing runs any more. */
void command_free(struct command *c);

/* Runs it; *input is the pipe to write to, the caller's to close. */
enum status command_start(struct command *c, int *input, struct error *e);

/*
 * Waits for so many seconds, for ever if negative, until it has ended, and does not reap it.
 * False: it runs on.
 */
bool command_wait(const struct command *c, double seconds, struct command_end *end);

/* To the whole group, if there is one; SIGKILL also to what will be started.  Any thread. */
void command_signal(struct command *c, int signal);

/* Has ended: nothing of it is left behind but what it leaves running in the background. */
void command_reap(struct command *c);

/*
 * Ends whatever of it still runs, and reaps it: all are asked to end, and what is left is killed
 * as soon as the shell has ended, or after two seconds.  Does nothing twice.
 */
void command_end(struct command *c);

#endif
