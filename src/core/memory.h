// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of the crashed machine, by physical address. */
#ifndef NSPLIT_CORE_MEMORY_H
#define NSPLIT_CORE_MEMORY_H

#include "core/vmcoreinfo.h"

/*
 * Reads len bytes at a physical address.  Segments with the same address hold the same bytes: if
 * they cannot be read from one segment, another is used.  Memory that no segment has in the file
 * reads as zeros.  STATUS_MISSING: some bytes are in no segment, or missing.  Otherwise returns as
 * bytes.read().
 */
enum status memory_read(const struct core *core, uint64_t paddr, size_t len, uint8_t *dst,
			struct error *e);

/* Reads a page in the same way, but bytes in no segment read as zeros. */
enum status memory_read_page(const struct core *core, uint64_t paddr, uint32_t size, uint8_t *dst,
			     struct error *e);

#endif
