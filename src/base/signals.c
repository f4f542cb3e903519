// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"

static const int ignored[] = { SIGPIPE, SIGXFSZ };
static const int watched[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };

enum {
	IGNORED = sizeof(ignored) / sizeof(ignored[0]),
	WATCHED = sizeof(watched) / sizeof(watched[0]),
};

/* Seconds within which several signals are one request; see stop_note(). */
static const double SAME_REQUEST = 1;

void signals_hold_requests(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* True if the signal is not ignored. */
static bool is_heeded(int signal)
{
	struct sigaction old;

	return sigaction(signal, NULL, &old) < 0 || old.sa_handler != SIG_IGN;
}

void signals_heeded(sigset_t *set)
{
	sigemptyset(set);
	for (int i = 0; i < IGNORED; i++)
		if (is_heeded(ignored[i]))
			sigaddset(set, ignored[i]);
}

void signals_prepare(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	for (int i = 0; i < IGNORED; i++)
		sigaction(ignored[i], &ignore, NULL);
	signal(SIGCHLD, SIG_DFL);	/* if it were ignored, waitpid() would not work */
	signals_hold_requests();
}

void signals_release(const sigset_t *heeded)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		if (sigismember(heeded, number) == 1)
			signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The set of these four, without those that the parent has set to be ignored (nohup). */
static void signals_watched(sigset_t *set)
{
	sigemptyset(set);
	/* A blocked signal is queued for a signalfd even if it is ignored. */
	for (int i = 0; i < WATCHED; i++)
		if (is_heeded(watched[i]))
			sigaddset(set, watched[i]);
}

enum status signals_open(int *fd, struct error *e)
{
	sigset_t set;

	signals_watched(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	*fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (*fd < 0)
		return error_system(e, errno, "signalfd");
	return STATUS_OK;
}

/*
 * Notes a signal and returns what it asks for.  A request to stop within a second of the first one
 * is the same request, and REQUEST_NONE is returned: timeout(1), systemd and terminals signal a
 * process and its whole group.
 */
static enum request stop_note(struct stop *stop, int signal)
{
	double now = clock_seconds();

	if (signal == SIGUSR1)
		return REQUEST_REPORT;
	stop->latest = signal;
	if (!stop->signal) {
		stop->signal = signal;
		stop->when = now;
		return REQUEST_STOP;
	}
	if (now - stop->when < SAME_REQUEST)
		return REQUEST_NONE;
	stop->twice = true;
	return REQUEST_STOP_NOW;
}

enum request signals_next(int fd, struct stop *stop)
{
	enum request request = REQUEST_NONE;
	struct signalfd_siginfo info;

	while (!request && read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		request = stop_note(stop, (int)info.ssi_signo);
	return request;
}

void signals_raise(int signal)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };
	sigset_t set;

	sigaction(signal, &standard, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	raise(signal);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* --- a second process ---------------------------------------------------- */

/* Tells the parent that it need not wait for the child; the value is the wait status to report. */
static int release_signal(void)
{
	return SIGRTMIN;
}

/* Seconds that the parent waits for the child after SIGKILL, and after the release signal. */
enum { DEATH_PATIENCE = 5, REPORT_PATIENCE = 60 };

enum { RELEASE_TRIES = 100 };

/* How the parent is to end if the child does not. */
struct ending {
	struct stop stop;	/* requests so far */
	bool released;
	int wait_status;	/* if released */
	const struct supervisor *supervisor;
	const sigset_t *watched;
	const sigset_t *mask;	/* of the process before */
};

static void __attribute__((noreturn)) end_like(int wait_status)
{
	/* If the signal dumps core, the child's core is the useful one. */
	prctl(PR_SET_DUMPABLE, 0);
	if (WIFSIGNALED(wait_status))
		signals_raise(WTERMSIG(wait_status));
	_exit(WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EXIT_FAILURE);
}

static bool asks_to_stop(int signal)
{
	return signal > 0 && signal != SIGCHLD && signal != SIGUSR1 && signal != release_signal();
}

/* The group may have been signalled, and the child may have died of its own signal before the parent took the other. */
static bool stop_pending(const sigset_t *signals)
{
	static const struct timespec now = { 0 };
	bool stop = false;
	int signal;

	while ((signal = sigtimedwait(signals, NULL, &now)) > 0)
		stop |= asks_to_stop(signal);
	return stop;
}

/* latest: the signal that was taken last, which was not forwarded so far. */
static void end_with_child(pid_t child, const struct ending *ending, int latest)
{
	const struct supervisor *supervisor = ending->supervisor;
	int wait_status;

	if (waitpid(child, &wait_status, WNOHANG) != child)
		return;
	/* Takes the release signal, too, which may be pending, and is over with the child. */
	if (supervisor && !stop_pending(ending->watched) && !asks_to_stop(latest) && !ending->stop.signal) {
		sigprocmask(SIG_SETMASK, ending->mask, NULL);
		supervisor->ended(supervisor->arg, wait_status);
	}
	end_like(ending->stop.twice ? ending->stop.signal : wait_status);
}

static void __attribute__((noreturn)) end_without_child(const struct ending *ending)
{
	end_like(ending->released ? ending->wait_status : ending->stop.signal);
}

/* How long to wait for the child or a signal; NULL: without limit. */
static const struct timespec *patience(const struct ending *ending)
{
	static const struct timespec death = { .tv_sec = DEATH_PATIENCE };
	static const struct timespec report = { .tv_sec = REPORT_PATIENCE };

	return ending->stop.twice ? &death : ending->released ? &report : NULL;
}

static void __attribute__((noreturn)) stand_by(pid_t child, struct ending ending)
{
	for (;;) {
		siginfo_t info;
		int signal = sigtimedwait(ending.watched, &info, patience(&ending));
		bool late = signal < 0 && errno == EAGAIN;

		end_with_child(child, &ending, signal);
		if (late)
			end_without_child(&ending);
		if (signal == release_signal() && info.si_pid == child) {
			if (ending.released)
				end_like(info.si_value.sival_int);
			ending.released = true;
			ending.wait_status = info.si_value.sival_int;
		} else if (signal > 0 && signal != SIGCHLD && signal != release_signal()) {
			stop_note(&ending.stop, signal);
			kill(child, ending.stop.twice ? SIGKILL : signal);
		}
	}
}

pid_t supervise(const struct supervisor *supervisor)
{
	pid_t parent = getpid(), child;
	sigset_t signals, before;

	signals_watched(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, release_signal());
	signal(SIGCHLD, SIG_DFL);	/* if it were ignored, waitpid() would not work */
	sigprocmask(SIG_BLOCK, &signals, &before);
	child = fork();
	if (child > 0)
		stand_by(child, (struct ending){ .supervisor = supervisor, .watched = &signals, .mask = &before });
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (child < 0)
		return 0;
	/* Without the parent, nobody would see the exit status.  It may have died already. */
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
	/* EAGAIN: the signal queue is full at the moment. */
	for (int tries = 0; tries < RELEASE_TRIES; tries++) {
		if (sigqueue(parent, release_signal(), value) == 0 || errno != EAGAIN)
			return;
		usleep(10000);
	}
}
