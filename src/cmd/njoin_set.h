// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening the set, and the range of the source that is wanted. */
#ifndef NSPLIT_CMD_NJOIN_SET_H
#define NSPLIT_CMD_NJOIN_SET_H

#include "cmd/njoin.h"

/* Opens the members and sets the range.  Names that do not exist are reported and skipped. */
enum status njoin_open_set(struct njoin *njoin, struct error *e);

/*
 * STATUS_USAGE: --range goes beyond the end of the source.  The size of a stream may be known only
 * after a walk.
 */
enum status njoin_check_range(const struct njoin *njoin, struct error *e);

#endif
