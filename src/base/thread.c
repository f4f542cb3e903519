// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <signal.h>

#include "base/thread.h"

int thread_start(pthread_t *thread, size_t stack, void *(*work)(void *), void *arg)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int failed;

	sigfillset(&all);
	pthread_attr_init(&attr);
	if (stack)
		pthread_attr_setstacksize(&attr, stack);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(thread, &attr, work, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return failed;
}
