// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --info: what a set is, in words or as JSON, on standard output. */
#ifndef NSPLIT_CMD_NJOIN_INFO_H
#define NSPLIT_CMD_NJOIN_INFO_H

#include <stdbool.h>

#include "set/set.h"

/* Returns whether everything is there. */
bool info_print(const struct set *set, bool json);

#endif
