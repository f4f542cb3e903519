// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

#include "io/sigbus.h"

/*
 * Where this thread goes on after a SIGBUS, NULL outside of sigbus_survive().
 * A signal handler is given nothing else to find its way by, so this is the one
 * variable of the program that is not handed down.
 */
static _Thread_local sigjmp_buf *way_out;

static void on_sigbus(int signal)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };

	if (way_out)
		siglongjmp(*way_out, 1);
	/* Not ours: returning runs into the fault again, and this time it kills. */
	sigaction(signal, &standard, NULL);
}

enum status sigbus_install(struct error *e)
{
	struct sigaction action = { .sa_handler = on_sigbus };

	if (sigaction(SIGBUS, &action, NULL) < 0)
		return error_system(e, errno, "SIGBUS handler");
	return STATUS_OK;
}

bool sigbus_survive(void (*work)(void *arg), void *arg)
{
	sigjmp_buf here;

	if (sigsetjmp(here, 1)) {
		way_out = NULL;
		return false;
	}
	way_out = &here;
	work(arg);
	way_out = NULL;
	return true;
}
