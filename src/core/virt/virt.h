// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory by the virtual addresses of the crashed kernel, on x86_64 and arm64.
 *
 * Numbers in VMCOREINFO are used where they suffice: for the image, and for arm64's direct map of
 * all memory.  They cost no reads, and hold even if page tables are damaged, so that the kernel log
 * is found.  All other addresses (vmalloc(), modules, vmemmap, x86_64's direct map, whose address is
 * random) are looked up in the page tables.  The p_vaddr of segments is tried last, since some
 * writers of cores set it wrongly.
 */
#ifndef NSPLIT_CORE_VIRT_VIRT_H
#define NSPLIT_CORE_VIRT_VIRT_H

#include "core/virt/page_tables.h"

/* Virtual addresses that are contiguous in physical memory.  Length 0: none. */
struct virt_linear {
	uint64_t vaddr, paddr;
	uint64_t length;
};

/* Constant after virt_init(), so that any number of threads may use it if core->bytes allows it. */
struct virt {
	const struct core *core;	/* borrowed */
	const struct vmcoreinfo *info;	/* borrowed */
	/*
	 * phys_base, as crash and other readers define it.  x86_64: the physical address of
	 * __START_KERNEL_map; arm64: PHYS_OFFSET; riscv64: the first byte of memory; others: 0.
	 */
	uint64_t phys_base;
	/* If this bit of an address is set, these bits may hold a tag, and are set, too. */
	uint64_t kernel_bit, tag;
	struct virt_linear linear[2];	/* tried before the page tables */
	struct page_tables tables;
	struct virt_linear assumed;	/* tried after the page tables */
};

/* Only memory of the segments' headers and of info is read.  What is not known stays empty. */
void virt_init(struct virt *v, const struct core *core, const struct vmcoreinfo *info);

/* STATUS_MISSING: the address cannot be translated, or the memory is not in the core. */
enum status virt_read(const struct virt *v, uint64_t vaddr, size_t len, uint8_t *dst,
		      struct error *e);

/*
 * Translates a virtual address.  The length, at least 1, is the number of bytes that are contiguous
 * from there.  STATUS_MISSING: the address cannot be translated.  Otherwise returns as
 * memory_read(), which reads page tables; only failures that end the whole operation are returned.
 */
enum status virt_translate(const struct virt *v, uint64_t vaddr, uint64_t *paddr, uint64_t *length,
			   struct error *e);

/*
 * The same for many numbers that may be addresses.  Does not format an error, which would slow bulk
 * lookups.
 */
enum status virt_find(const struct virt *v, uint64_t vaddr, uint64_t *paddr, uint64_t *length,
		      struct error *e);

#endif
