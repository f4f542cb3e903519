// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/supervise.h"

/* How the child says that it need not be waited for: the value is its wait status. */
static int release_signal(void)
{
	return SIGRTMIN;
}

/* Seconds that a child which was told twice to stop may take to die. */
enum { DEATH_PATIENCE = 1 };

static void __attribute__((noreturn)) end_like(int wait_status)
{
	const struct rlimit no_core = { 0, 0 };

	/* The child's core is the one to look at. */
	setrlimit(RLIMIT_CORE, &no_core);
	if (WIFSIGNALED(wait_status))
		signals_raise(WTERMSIG(wait_status));
	_exit(WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EXIT_FAILURE);
}

static void end_with_child(pid_t child)
{
	int wait_status;

	if (waitpid(child, &wait_status, WNOHANG) == child)
		end_like(wait_status);
}

static void __attribute__((noreturn)) stand_by(pid_t child, const sigset_t *watched)
{
	const struct timespec patience = { .tv_sec = DEATH_PATIENCE };
	struct stop stop = { 0 };

	for (;;) {
		siginfo_t info;
		int signal = sigtimedwait(watched, &info, stop.twice ? &patience : NULL);

		end_with_child(child);
		if (signal < 0 && errno == EAGAIN)
			signals_raise(stop.signal);	/* it cannot die */
		if (signal == release_signal() && info.si_pid == child)
			end_like(info.si_value.sival_int);
		if (signal <= 0 || signal == SIGCHLD || signal == release_signal())
			continue;
		kill(child, signal);
		if (signal_asks_to_stop(signal))
			stop_ask(&stop, signal);
	}
}

pid_t supervise(void)
{
	pid_t parent = getpid(), child;
	sigset_t watched, before;

	signals_watched(&watched);
	sigaddset(&watched, SIGCHLD);
	sigaddset(&watched, release_signal());
	signal(SIGCHLD, SIG_DFL);	/* where it is ignored, nobody can be waited for */
	sigprocmask(SIG_BLOCK, &watched, &before);
	child = fork();
	if (child > 0)
		stand_by(child, &watched);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (child < 0)
		return 0;
	/* Without the parent nobody learns what becomes of it; it may be gone already. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		raise(SIGKILL);
	return parent;
}

void supervise_release(pid_t parent, int status, int signal)
{
	union sigval value = { .sival_int = signal ? signal : status << 8 };

	if (parent)
		sigqueue(parent, release_signal(), value);
}
