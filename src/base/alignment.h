// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The alignment of everything that is read or written: offsets in members, addresses and lengths of
 * buffers are multiples of it, as direct I/O requires.
 */
#ifndef NSPLIT_BASE_ALIGNMENT_H
#define NSPLIT_BASE_ALIGNMENT_H

#include <stddef.h>
#include <stdint.h>

/* Sizes of memory and of parts of a dump are computed in size_t; see configure.ac. */
_Static_assert(sizeof(size_t) >= 8, "nsplit needs a system with a 64-bit size_t");

enum { ALIGNMENT = 4096 };

/* The largest offset or size: that of off_t. */
#define OFFSET_MAX ((uint64_t)INT64_MAX)

#endif
