// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Surviving SIGBUS while mapped bytes of the source are touched: a poisoned
 * page of /proc/vmcore, or a file that was cut short under its mapping.
 */
#ifndef NSPLIT_IO_SIGBUS_H
#define NSPLIT_IO_SIGBUS_H

#include <stdbool.h>

#include "base/error.h"

/* Installs the handler for the process; a second call does no harm. */
enum status sigbus_install(struct error *e);

/*
 * Runs work(arg), and returns false if a SIGBUS in this thread ended it
 * half-way: by siglongjmp(), so work must hold no lock and no memory of its
 * own while it touches mapped bytes, and what it was writing is in any state.
 */
bool sigbus_survive(void (*work)(void *arg), void *arg);

#endif
