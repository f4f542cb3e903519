// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether made-up data fits: if not, a drill would fill the disks of a running system. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_SPACE_H
#define NSPLIT_CMD_NSPLIT_DRILL_SPACE_H

#include "cmd/nsplit/drill/outputs.h"

/*
 * places: of all outputs.  size: bytes of the data.  STATUS_SYSTEM: the outputs but fallbacks, together, have too little
 * space for as much of it as may be written, and a margin.  If the space of one is unknown, that is no error.
 */
enum status drill_space_check(const struct nsplit_options *o, const enum drill_place *places, uint64_t size,
			      struct error *e);

#endif
