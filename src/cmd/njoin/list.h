// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --list: describes a core on standard output, as text or JSON. */
#ifndef NSPLIT_CMD_NJOIN_LIST_H
#define NSPLIT_CMD_NJOIN_LIST_H

#include "cmd/njoin/options.h"
#include "export/set_absent.h"

/*
 * absent is what njoin_find_absent() found.  *complete: nothing is missing from the source or from the
 * core in it.
 */
enum status list_print(const struct njoin_options *o, const struct set *set,
		       const struct set_absent *absent, bool *complete, struct error *e);

#endif
