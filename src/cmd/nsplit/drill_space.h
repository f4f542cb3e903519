// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether made-up data can fit at all: if not, a drill would only fill the disks of a running system. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_SPACE_H
#define NSPLIT_CMD_NSPLIT_DRILL_SPACE_H

#include "cmd/nsplit/drill_outputs.h"

/* places: of all outputs.  STATUS_SYSTEM: all of them together have far too little space, as for --check-params. */
enum status drill_space_check(const struct nsplit_options *o, const enum drill_place *places,
			      const struct source *source, struct error *e);

#endif
