// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The one alignment of the house: pieces of a member lie at multiples of it,
 * buffers start at multiples of it, and so direct I/O moves them as they are.
 */
#ifndef NSPLIT_BASE_UNIT_H
#define NSPLIT_BASE_UNIT_H

#include <stdint.h>

enum { UNIT = 4096 };

/* No offset or size beyond what off_t holds. */
#define OFFSET_MAX ((uint64_t)INT64_MAX)

#endif
