// SPDX-License-Identifier: GPL-2.0-or-later
/* What njoin writes to: one file, or those of a split set. */
#ifndef NSPLIT_CMD_NJOIN_OUTPUTS_H
#define NSPLIT_CMD_NJOIN_OUTPUTS_H

#include "cmd/njoin.h"

/*
 * What the names mean, without touching anything.  STATUS_USAGE as of output_file_probe(), and for one
 * that is a member, is named twice, shares storage with a member or another output, or is a stream
 * where the form is none for streams.
 */
enum status njoin_probe_outputs(struct njoin *njoin, struct error *e);
enum status njoin_open_outputs(struct njoin *njoin, struct error *e);

/* Do all outputs, if there are any, take pieces in any order? */
bool njoin_seekable(const struct njoin *njoin);

/* As output_file_abandon() and output_file_free(), all of them. */
void njoin_abandon_outputs(const struct njoin *njoin);
void njoin_free_outputs(struct njoin *njoin);

#endif
