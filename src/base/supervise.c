// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/supervise.h"

/* How the child says that it need not be waited for: the value is its wait status. */
static int release_signal(void)
{
	return SIGRTMIN;
}

/* Seconds that a child may take to die of SIGKILL; and to report, if it can, and end. */
enum { DEATH_PATIENCE = 5, REPORT_PATIENCE = 60 };

enum { RELEASE_TRIES = 100 };

/* What is known of how to end without the child. */
struct ending {
	struct stop stop;	/* what was asked for */
	bool released;
	int wait_status;	/* then */
};

static void __attribute__((noreturn)) end_like(int wait_status)
{
	/* If it left a core, the child's is the one to look at. */
	prctl(PR_SET_DUMPABLE, 0);
	if (WIFSIGNALED(wait_status))
		signals_raise(WTERMSIG(wait_status));
	_exit(WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EXIT_FAILURE);
}

static void end_with_child(pid_t child, const struct ending *ending)
{
	int wait_status;

	if (waitpid(child, &wait_status, WNOHANG) == child)
		end_like(ending->stop.twice ? ending->stop.signal : wait_status);
}

static void __attribute__((noreturn)) end_without_child(const struct ending *ending)
{
	end_like(ending->released ? ending->wait_status : ending->stop.signal);
}

static void pass_on(pid_t child, int signal, struct stop *stop)
{
	stop_note(stop, signal);
	kill(child, stop->twice ? SIGKILL : signal);
}

/* How long to wait for the child, or for a signal; NULL: for ever. */
static const struct timespec *patience(const struct ending *ending)
{
	static const struct timespec death = { .tv_sec = DEATH_PATIENCE };
	static const struct timespec report = { .tv_sec = REPORT_PATIENCE };

	return ending->stop.twice ? &death : ending->released ? &report : NULL;
}

static void __attribute__((noreturn)) stand_by(pid_t child, const sigset_t *watched)
{
	struct ending ending = { 0 };

	for (;;) {
		siginfo_t info;
		int signal = sigtimedwait(watched, &info, patience(&ending));
		bool late = signal < 0 && errno == EAGAIN;

		end_with_child(child, &ending);
		if (late)
			end_without_child(&ending);
		if (signal == release_signal() && info.si_pid == child) {
			if (ending.released)
				end_like(info.si_value.sival_int);
			ending.released = true;
			ending.wait_status = info.si_value.sival_int;
		} else if (signal > 0 && signal != SIGCHLD && signal != release_signal()) {
			pass_on(child, signal, &ending.stop);
		}
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

	if (!parent)
		return;
	/* The queue may be full for a moment. */
	for (int tries = 0; tries < RELEASE_TRIES; tries++) {
		if (sigqueue(parent, release_signal(), value) == 0 || errno != EAGAIN)
			return;
		usleep(10000);
	}
}
