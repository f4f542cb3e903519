// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a set has not of its source: the holes between its records, and the blocks that could not be
 * read when it was captured.
 */
#ifndef NSPLIT_EXPORT_MISSING_H
#define NSPLIT_EXPORT_MISSING_H

#include "core/pages.h"
#include "set/set.h"

/*
 * All of it, sorted, none touching another; *missing is to be freed in any case.  The set has no
 * streams.  A record with unreadable blocks that is damaged, all spares of it as well, is missing
 * whole: which blocks of it they were, nobody knows any more.  Other damage shows only when
 * it is read.  Past the last record of a source whose size nobody has told, nothing is missing.
 */
enum status missing_find(const struct set *set, struct extent **missing, size_t *count,
			 struct error *e);

#endif
