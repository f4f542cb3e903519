// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A shell command, run as a child process that reads from a pipe.
 *
 * It runs in its own session.  So Ctrl-C does not end it while members are being closed, a program
 * in it that wants a password from the terminal fails at once instead of waiting, and all processes
 * that it started can be signalled together, as a process group.
 *
 * One thread at a time uses a command; only command_signal() may be called by other threads.
 * Therefore the child is waited for without being reaped, and reaped later under the lock: until
 * then its process ID cannot be reused.
 */
#ifndef NSPLIT_IO_COMMAND_H
#define NSPLIT_IO_COMMAND_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Bytes of the pipe: the most that an unprivileged process may set, and a whole usual record. */
enum { COMMAND_PIPE = 1 << 20 };

struct command {
	char *text;		/* as given; owned */
	char *line;		/* for sh -c: text after "umask 077;"; owned */
	char *variable;		/* "FILE=..." for its environment; owned, NULL: none */
	bool mute;		/* standard output is /dev/null, not inherited */
	sigset_t defaults;	/* ignored here, but not to be ignored by the command */
	pthread_mutex_t lock;
	pid_t child;		/* 0: none; changed under lock by the thread that uses the command */
	bool killed;		/* by command_signal(), perhaps before the start; under lock */
};

/* How the shell ended. */
struct command_end {
	bool exited;
	int number;		/* exit status if exited, else the signal */
};

/* file: the value of $FILE; NULL: unchanged.  Returns NULL if out of memory. */
struct command *command_new(const char *text, const char *file);
/* The command has ended or was not started; c may be NULL. */
void command_free(struct command *c);

/* Starts it; *input is the write end of its standard input, which the caller closes. */
enum status command_start(struct command *c, int *input, struct error *e);

/*
 * Waits up to the given seconds (negative: forever) until the shell has ended, without reaping it.
 * False: it still runs.
 */
bool command_wait(const struct command *c, double seconds, struct command_end *end);

/* Signals the process group, if any; after SIGKILL, a later start kills at once.  Any thread. */
void command_signal(struct command *c, int signal);

/* Reaps the shell, which has ended.  Background processes that it left keep running. */
void command_reap(struct command *c);

/*
 * Ends all processes of the command and reaps the shell: SIGTERM first, SIGKILL as soon as the
 * shell has ended or after two seconds.  No effect if nothing runs.
 */
void command_end(struct command *c);

#endif
