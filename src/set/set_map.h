// SPDX-License-Identifier: GPL-2.0-or-later
/* The map of a set; for set_open() only. */
#ifndef NSPLIT_SET_SET_MAP_H
#define NSPLIT_SET_SET_MAP_H

#include "set/set.h"

/*
 * Builds the map of all locations.  Records that extend beyond the end of the source, or end within a granule,
 * are errors; with salvage they are reported instead.
 */
enum status set_build_map(struct set *set, const struct set_settings *settings, struct error *e);

#endif
