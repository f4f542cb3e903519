// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A source that shows the memory of a core page by page: each page frame of which the core has a byte is there once, as
 * a whole, and at a multiple of its size.
 *
 *     ELF header | program headers | notes | pages, by address
 *
 * In other cores pages begin anywhere (makedumpfile -E, QEMU, a capture kernel with smaller pages than the crashed
 * one), memory is there several times, and segments begin or end within a page, of which the rest is zeros then.  So a
 * dump can be captured of this source as of /proc/vmcore.  Pages are not copied, but for those of several pieces.
 */
#ifndef NSPLIT_FILTER_PAGE_SOURCE_H
#define NSPLIT_FILTER_PAGE_SOURCE_H

#include "core/elf.h"
#include "io/source.h"

/*
 * core: of a positioned source.  If this succeeds, the source is closed with the new one, and the core is taken over.
 * Pages for which that source is too short cannot be read.
 */
enum status page_source_new(struct source **pages, struct source *source, struct core *core, uint32_t page_size,
			    struct error *e);

#endif
