// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the bytes of a core come from: a set (set/read/range.h), or anything else with random access. */
#ifndef NSPLIT_CORE_BYTES_H
#define NSPLIT_CORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct core_bytes {
	uint64_t size;
	/*
	 * Reads len bytes at offset, which are within size.  STATUS_MISSING: some of them are
	 * missing.  STATUS_STOPPED: the program is to stop.  Called by one thread at a time.
	 */
	enum status (*read)(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e);
	void *arg;
};

/* Does this failure end the whole operation?  After any other, only the bytes are missing. */
static inline bool core_bytes_end(enum status status)
{
	return status == STATUS_NO_MEMORY || status == STATUS_STOPPED;
}

#endif
