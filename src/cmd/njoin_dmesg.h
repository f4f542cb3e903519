// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --dmesg: the kernel log of the core that was captured. */
#ifndef NSPLIT_CMD_NJOIN_DMESG_H
#define NSPLIT_CMD_NJOIN_DMESG_H

#include "cmd/njoin.h"

/*
 * Writes it to the output, which is open, or to standard output if none was given.  STATUS_OK:
 * *lost is what log_print() says of it.  STATUS_END: standard output takes no more; STATUS_STOPPED: by
 * a signal.
 */
enum status dmesg_write(struct njoin *njoin, struct error *lost, struct error *e);

#endif
