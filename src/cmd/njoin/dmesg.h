// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --dmesg: the kernel log in the core. */
#ifndef NSPLIT_CMD_NJOIN_DMESG_H
#define NSPLIT_CMD_NJOIN_DMESG_H

#include "cmd/njoin/run.h"

/*
 * Writes the log to the output, which is open, or to standard output if none was given.  STATUS_OK:
 * *lost is that of log_print().  STATUS_END: standard output accepts no more.
 * STATUS_STOPPED: stopped by a signal.
 */
enum status dmesg_write(struct njoin_run *run, struct error *lost, struct error *e);

#endif
