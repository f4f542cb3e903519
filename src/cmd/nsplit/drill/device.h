// SPDX-License-Identifier: GPL-2.0-or-later
/* Block devices that a drill writes to: blank before, and blank again afterwards. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_DEVICE_H
#define NSPLIT_CMD_NSPLIT_DRILL_DEVICE_H

#include <stdint.h>

#include "cmd/nsplit/drill/process.h"

/* STATUS_USAGE: its first and last MiB are not all zeros.  A member of an earlier dump is not blank either. */
enum status drill_device_refuse(const char *name, struct error *e);

/*
 * Overwrites with zeros that many bytes at its beginning, at least one MiB, and the last MiB, which has the second
 * footer; what is between them may be of others.  That may take long, so it is done by a child, which a signal ends.
 */
enum status drill_device_clear(const char *name, uint64_t bytes, struct drill_signals *signals, struct error *e);

#endif
