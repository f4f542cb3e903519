// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The dead machine's memory by its addresses, out of a core.
 */
#ifndef NSPLIT_CORE_MEMORY_H
#define NSPLIT_CORE_MEMORY_H

#include "core/vmcoreinfo.h"

/*
 * Reads len bytes at a physical address.  Segments that share an address hold the same bytes; if
 * those of one cannot be had, another's are taken, and zeros only where none has any in the
 * file.  STATUS_MISSING: some are in no segment, or are not there; or as bytes.read() returns.
 */
enum status memory_read(const struct core *core, uint64_t paddr, size_t len, uint8_t *dst,
			struct error *e);

/* The same of one page, where what is in no segment is zeros. */
enum status memory_read_page(const struct core *core, uint64_t paddr, uint32_t size, uint8_t *dst,
			     struct error *e);

#endif
