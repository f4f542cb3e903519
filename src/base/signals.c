// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/signalfd.h>
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

void signals_watched(sigset_t *set)
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

enum request stop_note(struct stop *stop, int signal)
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
