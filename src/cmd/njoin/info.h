// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --info: describes a set on standard output, as text or JSON. */
#ifndef NSPLIT_CMD_NJOIN_INFO_H
#define NSPLIT_CMD_NJOIN_INFO_H

#include "cmd/njoin/options.h"
#include "export/set_absent.h"

/* With layers, absent is what njoin_find_absent() found.  Returns whether the set is complete. */
bool info_print(const struct njoin_options *o, const struct set *set, const struct set_absent *absent);

#endif
