// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --format=kdump: writes the core as kdump-compressed files, which crash opens. */
#ifndef NSPLIT_CMD_NJOIN_KDUMP_H
#define NSPLIT_CMD_NJOIN_KDUMP_H

#include "cmd/njoin/njoin.h"

/* Writes to the outputs, which are open; kdump_export_end() finishes them. */
enum status njoin_write_kdump(struct njoin *njoin, struct error *e);

/* Reports how many pages are missing, and how many were left out. */
void njoin_report_pages(const struct njoin *njoin);

#endif
