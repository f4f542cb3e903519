// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes what was asked for, the source or kdump-compressed files, or verifies the set: from the checks before it
 * to the finished outputs.
 */
#ifndef NSPLIT_CMD_NJOIN_JOIN_H
#define NSPLIT_CMD_NJOIN_JOIN_H

#include "cmd/njoin/njoin.h"

/* The set is open. */
enum njoin_finding njoin_join(struct njoin *njoin);

#endif
