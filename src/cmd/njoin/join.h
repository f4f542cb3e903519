// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing the source from its set, and --verify: both read all records. */
#ifndef NSPLIT_CMD_NJOIN_JOIN_H
#define NSPLIT_CMD_NJOIN_JOIN_H

#include "cmd/njoin/njoin.h"

/* The set is open. */
enum njoin_finding njoin_join(struct njoin *njoin);

#endif
