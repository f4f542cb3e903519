// SPDX-License-Identifier: GPL-2.0-or-later
/* Outputs that are stored on a member, or under one. */
#ifndef NSPLIT_CMD_NJOIN_STORAGE_H
#define NSPLIT_CMD_NJOIN_STORAGE_H

#include "cmd/njoin.h"

/*
 * STATUS_USAGE: to write to an output would change a member, or another output.  All outputs are
 * probed, and none is open.  Warns of devices for which this is not known.
 */
enum status njoin_refuse_shared(const struct njoin *njoin, struct error *e);

#endif
