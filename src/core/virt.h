// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The dead kernel's own addresses: its image and the direct map of all memory, on x86_64 and arm64.
 *
 * Both lie in one piece, so VMCOREINFO's numbers are enough for all but the direct map of
 * x86_64, whose beginning is random and not told: there the page tables are walked, as for what else
 * they have.  On arm64 what vmalloc() and modules have cannot be told from the image, and is
 * not translated right.  The p_vaddr of the segments comes last: not every writer of cores has it
 * right.
 */
#ifndef NSPLIT_CORE_VIRT_H
#define NSPLIT_CORE_VIRT_H

#include "core/memory.h"

struct virt {
	const struct core *core;	/* borrowed */
	const struct vmcoreinfo *info;	/* borrowed */
};

/* STATUS_MISSING: it is not known where that is, or it is not in the core. */
enum status virt_read(const struct virt *v, uint64_t vaddr, size_t len, uint8_t *dst,
		      struct error *e);

/*
 * Where it is in physical memory, and for how many bytes from there this holds, at least 1.
 * STATUS_MISSING: that is not known; otherwise as memory_read(), of a page table.
 */
enum status virt_translate(const struct virt *v, uint64_t vaddr, uint64_t *paddr, uint64_t *length,
			   struct error *e);

/*
 * What crash and others take for the beginning of memory: for x86_64 what is to be added to an
 * address in the image less __START_KERNEL_map, for arm64 PHYS_OFFSET, for riscv64 the first byte of
 * memory; 0 elsewhere.
 */
uint64_t virt_phys_base(const struct virt *v);

#endif
