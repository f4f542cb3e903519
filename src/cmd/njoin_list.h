// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --list: describes a core on standard output, as text or JSON. */
#ifndef NSPLIT_CMD_NJOIN_LIST_H
#define NSPLIT_CMD_NJOIN_LIST_H

#include "cmd/njoin.h"

/*
 * After njoin_find_absent().  *complete: nothing is missing from the source or from the core in it.
 */
enum status list_print(const struct njoin *njoin, bool *complete, struct error *e);

#endif
