// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --info: describes a set on standard output, as text or JSON. */
#ifndef NSPLIT_CMD_NJOIN_INFO_H
#define NSPLIT_CMD_NJOIN_INFO_H

#include "cmd/njoin.h"

/* With layers, after njoin_find_absent().  Returns whether the set is complete. */
bool info_print(const struct njoin *njoin);

#endif
