// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The one alignment of the house: pieces of a member lie at multiples of it,
 * buffers start at multiples of it, and so direct I/O moves them as they are.
 */
#ifndef NSPLIT_BASE_UNIT_H
#define NSPLIT_BASE_UNIT_H

#include <stddef.h>
#include <stdint.h>

/* Sizes of memory, of maps and of the parts of a dump are computed in size_t: configure.ac. */
_Static_assert(sizeof(size_t) >= 8, "nsplit needs a system with a 64-bit size_t");

enum { UNIT = 4096 };

/* No offset or size beyond what off_t holds. */
#define OFFSET_MAX ((uint64_t)INT64_MAX)

#endif
