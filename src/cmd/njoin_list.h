// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --list: what a core holds, in words or as JSON, on standard output. */
#ifndef NSPLIT_CMD_NJOIN_LIST_H
#define NSPLIT_CMD_NJOIN_LIST_H

#include "set/set.h"

/* *complete: nothing of the source is missing, and nothing of the core in it. */
enum status list_print(const struct set *set, bool json, bool *complete, struct error *e);

#endif
