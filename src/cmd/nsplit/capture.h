// SPDX-License-Identifier: GPL-2.0-or-later
/* The capture itself, with its messages, progress and signals. */
#ifndef NSPLIT_CMD_NSPLIT_CAPTURE_H
#define NSPLIT_CMD_NSPLIT_CAPTURE_H

#include "cmd/nsplit/nsplit.h"

/*
 * Captures according to the plan, or with less memory if the system refuses that much.  After a
 * failure, nsplit->capture is NULL if there was no capture.
 */
enum status nsplit_capture(struct nsplit *nsplit, struct memory_plan *plan, struct error *e);

#endif
