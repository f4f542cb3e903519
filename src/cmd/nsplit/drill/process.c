// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/nsplit/drill/process.h"

enum { NOT_EXECUTED = 127 };

void drill_signals_begin(struct drill_signals *s, const sigset_t *heeded)
{
	*s = (struct drill_signals){ .heeded = heeded };
	signals_watched(&s->watched);
	sigaddset(&s->watched, SIGCHLD);
	sigprocmask(SIG_BLOCK, &s->watched, &s->before);
}

void drill_signals_look(struct drill_signals *s)
{
	static const struct timespec now = { 0 };
	int signal;

	while ((signal = sigtimedwait(&s->watched, NULL, &now)) > 0)
		if (signal != SIGCHLD)
			stop_note(&s->stop, signal);
}

enum status drill_fork(struct drill_signals *s, pid_t *child, struct error *e)
{
	pid_t parent = getpid();

	*child = fork();
	if (*child < 0)
		return error_system(e, errno, "a process for the drill");
	if (*child)
		return STATUS_OK;
	/* It may have died already. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		raise(SIGKILL);
	sigprocmask(SIG_SETMASK, &s->before, NULL);
	return STATUS_OK;
}

int drill_wait(struct drill_signals *s, pid_t child)
{
	int status;

	while (waitpid(child, &status, WNOHANG) != child) {
		int signal = sigwaitinfo(&s->watched, NULL);

		if (signal <= 0 || signal == SIGCHLD)
			continue;
		stop_note(&s->stop, signal);
		kill(child, signal);
	}
	return status;
}

static void __attribute__((noreturn)) execute(const struct drill_signals *s, const char *command)
{
	for (int number = 1; number < NSIG; number++)
		if (sigismember(s->heeded, number) == 1)
			signal(number, SIG_DFL);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(NOT_EXECUTED);
}

enum status drill_shell(struct drill_signals *s, const char *command, struct error *e)
{
	pid_t child;
	int status;

	if (drill_fork(s, &child, e))
		return e->status;
	if (!child)
		execute(s, command);
	status = drill_wait(s, child);
	if (WIFSIGNALED(status))
		return error_set(e, STATUS_SYSTEM, "'%s' was ended by signal %d (%s)", command, WTERMSIG(status),
				 strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return error_set(e, STATUS_SYSTEM, "'%s' failed with exit status %d", command, WEXITSTATUS(status));
	return STATUS_OK;
}
