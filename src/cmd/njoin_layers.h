// SPDX-License-Identifier: GPL-2.0-or-later
/* What a set with layers leaves out, as messages. */
#ifndef NSPLIT_CMD_NJOIN_LAYERS_H
#define NSPLIT_CMD_NJOIN_LAYERS_H

#include "cmd/njoin.h"

/* After a walk: one line with the bytes that were left out, by class, if any were. */
void njoin_report_layers(const struct njoin *njoin);

#endif
