// SPDX-License-Identifier: GPL-2.0-or-later
/* What a capture with layers kept and left out, for --info and --list. */
#ifndef NSPLIT_CMD_NJOIN_CAPTURED_H
#define NSPLIT_CMD_NJOIN_CAPTURED_H

#include "base/json.h"
#include "set/set.h"
#include "set/read/totals.h"

/* A line for each class of which there is something, or with which something was done. */
void captured_print(const struct set *set, const struct layer_totals *totals);

/* The same as one member of a JSON object. */
void captured_json(struct json *json, const struct set *set, const struct layer_totals *totals);

#endif
