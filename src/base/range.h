// SPDX-License-Identifier: GPL-2.0-or-later
/* Consecutive bytes, usually of the source of a capture. */
#ifndef NSPLIT_BASE_RANGE_H
#define NSPLIT_BASE_RANGE_H

#include <stdint.h>

struct range {
	uint64_t offset, length;
};

#endif
