// SPDX-License-Identifier: GPL-2.0-or-later
/* The figures of a capture: what its outputs hold, and what has become of the classes. */
#ifndef NSPLIT_CAPTURE_ENGINE_FIGURES_H
#define NSPLIT_CAPTURE_ENGINE_FIGURES_H

#include <stdbool.h>

#include "capture/fill/chunk.h"

struct capture;
struct sink_stats;

/*
 * Adds the amounts of a record of a layer to the figures of an output, or subtracts them.  With the
 * engine's lock held.
 */
void figures_count(const struct capture *c, struct sink_stats *stats, unsigned layer,
		   const struct layer_amounts *amounts, bool subtract);

#endif
