// SPDX-License-Identifier: GPL-2.0-or-later
/* Refuses an output that is a member, or is stored on the same device. */
#ifndef NSPLIT_CMD_NJOIN_STORAGE_H
#define NSPLIT_CMD_NJOIN_STORAGE_H

#include "cmd/njoin_outputs.h"

/* Identifies an operand ("-": standard input), usable as a member or not; false if unknown. */
bool njoin_given_identity(const char *name, struct identity *id);

/* Identifies an output.  A new file is identified by its directory and its name in it. */
bool njoin_output_identity(const struct output_file *output, struct identity *id);

/*
 * STATUS_USAGE: writing to an output would change a member or another output.  All outputs were
 * probed and are not yet open.  A device for which this is not known is reported.
 */
enum status njoin_refuse_shared(const struct njoin_outputs *outputs, const struct names *given,
				const struct set *set, struct error *e);

#endif
