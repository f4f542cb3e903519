// SPDX-License-Identifier: GPL-2.0-or-later
/* What a capture left out, as a message. */
#ifndef NSPLIT_CMD_CAPTURED_H
#define NSPLIT_CMD_CAPTURED_H

#include "set/totals.h"

/* If anything was left out. */
void captured_report(const struct layer_totals *totals);

#endif
