// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --info: describes a set on standard output, as text or JSON. */
#ifndef NSPLIT_CMD_NJOIN_INFO_H
#define NSPLIT_CMD_NJOIN_INFO_H

#include <stdbool.h>

#include "set/set.h"

/* Returns whether the set is complete. */
bool info_print(const struct set *set, bool json);

#endif
