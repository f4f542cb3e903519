// SPDX-License-Identifier: GPL-2.0-or-later
/* The steps after the capture: messages, --stats, files that are removed, the exit status. */
#ifndef NSPLIT_CMD_NSPLIT_FINISH_H
#define NSPLIT_CMD_NSPLIT_FINISH_H

#include "cmd/nsplit/nsplit.h"

/* outcome: of the capture; e: its error.  Returns the exit status. */
int nsplit_finish(struct nsplit *nsplit, enum status outcome, struct error *e);

/*
 * Waits until standard error has accepted all messages.  False: it does not, so a thread may be
 * left in a write, and nothing may be freed.  status: what the program will return.
 */
bool nsplit_settle_messages(struct nsplit *nsplit, int status);

#endif
