// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the bytes of a core come from: a set (set/range.h), or whatever else can be read anywhere.
 */
#ifndef NSPLIT_CORE_BYTES_H
#define NSPLIT_CORE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct core_bytes {
	uint64_t size;
	/*
	 * Reads len bytes at offset, which lie within size.  STATUS_MISSING: not all of them are
	 * there; STATUS_STOPPED: nobody wants them any more.  One thread at a time.
	 */
	enum status (*read)(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e);
	void *arg;
};

/* Does this end what is being done?  Any other failure to read costs no more than those bytes. */
static inline bool core_bytes_end(enum status status)
{
	return status == STATUS_NO_MEMORY || status == STATUS_STOPPED;
}

#endif
