// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether the outputs have room for what the source would take, before the capture. */
#ifndef NSPLIT_CMD_NSPLIT_SPACE_H
#define NSPLIT_CMD_NSPLIT_SPACE_H

#include <stdio.h>

#include "cmd/nsplit_options.h"

/*
 * What this output can take: the free space of its file system, or the size of its device.  False:
 * that is not known, as for a command, a pipe or null:.
 */
bool nsplit_space_of(const struct sink *sink, uint64_t *bytes);

/* A line for the plan; nothing if the room or the source's size is not known. */
void nsplit_space_report(FILE *file, const struct nsplit_options *o, const struct source *source,
			 const struct sink *sinks);

/*
 * STATUS_SYSTEM: all outputs together have so little room that a part of the source will most
 * likely be missing.
 */
enum status nsplit_space_check(const struct nsplit_options *o, const struct source *source,
			       const struct sink *sinks, struct error *e);

#endif
