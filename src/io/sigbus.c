// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#include "io/sigbus.h"

/*
 * Where sigbus_survive() of this thread returns after a SIGBUS; NULL outside of it.  It is a global
 * variable because a signal handler gets no argument that could point to it.
 */
static _Thread_local sigjmp_buf *return_point;

static void on_sigbus(int signal)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };

	if (return_point)
		siglongjmp(*return_point, 1);
	/* Not in sigbus_survive(): the access is repeated on return, and then kills the program. */
	sigaction(signal, &standard, NULL);
}

enum status sigbus_install(struct error *e)
{
	struct sigaction action = { .sa_handler = on_sigbus };

	if (sigaction(SIGBUS, &action, NULL) < 0)
		return error_system(e, errno, "SIGBUS handler");
	return STATUS_OK;
}

/* As it was before the handler, which does not return. */
static void unblock_sigbus(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGBUS);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/*
 * sigsetjmp() does not save the signal mask: that is a system call each time, and pages of a source are
 * read many thousand times.
 */
bool sigbus_survive(void (*work)(void *arg), void *arg)
{
	sigjmp_buf here;

	if (sigsetjmp(here, 0)) {
		return_point = NULL;
		unblock_sigbus();
		return false;
	}
	return_point = &here;
	work(arg);
	return_point = NULL;
	return true;
}
