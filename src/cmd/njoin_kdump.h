// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --format=kdump: the set's core in the form that crash opens. */
#ifndef NSPLIT_CMD_NJOIN_KDUMP_H
#define NSPLIT_CMD_NJOIN_KDUMP_H

#include "cmd/njoin.h"

/* Writes to the run's outputs, which are open; kdump_export_end() is due then. */
enum status njoin_write_kdump(struct njoin *njoin, struct error *e);

/* Tells how many pages are left out; false: none is. */
bool njoin_report_lost_pages(const struct njoin *njoin);

#endif
