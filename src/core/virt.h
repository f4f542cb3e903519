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
#ifndef NSPLIT_CORE_VIRT_H
#define NSPLIT_CORE_VIRT_H

#include "core/memory.h"

/*
 * The page tables of the crashed kernel.  Those of x86_64 and arm64 differ in sizes and in the bits
 * of an entry, not in structure: a table is a page of 8-byte entries (the root may be shorter), and
 * an entry leads to a table of the next level, or to a page or block of memory.
 */

enum page_entry { PAGE_ENTRY_ABSENT, PAGE_ENTRY_TABLE, PAGE_ENTRY_MEMORY };

/* The most entries of a root: with pages of 64 KiB and addresses of 42 bits. */
enum { PAGE_TABLES_ROOT_MAX = 8192 };

/* One bit for each entry of a root: set if it is known to lead nowhere. */
struct page_tables_absent {
	uint8_t entries[PAGE_TABLES_ROOT_MAX / 8];
};

struct page_tables {
	uint64_t first;		/* they translate the addresses from this one to the last one */
	uint64_t root;		/* physical address of the entry of the first address */
	unsigned levels;	/* 0: the page tables are not known */
	unsigned page_shift;	/* log2 of the page size: at least 12 */
	/*
	 * Which bits of an entry are bits of a physical address: those in address have their own
	 * position, those in high belong high_shift bits further up.
	 */
	uint64_t address, high;
	unsigned high_shift;
	/* What an entry is that translates 2^shift bytes; these are a page at the last level.  0 is absent. */
	enum page_entry (*kind)(uint64_t entry, unsigned shift, bool last_level);
	/* Does an entry that leads to memory forbid the kernel to write there? */
	bool (*read_only)(uint64_t entry);
	/* For many walks, most of which lead nowhere, so that these read nothing; or NULL; borrowed. */
	const struct page_tables_absent *absent;
};

/* Entries that cannot be read are not known.  Only failures that end the whole operation. */
enum status page_tables_find_absent(struct page_tables_absent *absent, const struct page_tables *tables,
				    const struct core *core, struct error *e);

/*
 * Translates a virtual address.  The length, at least 1, is the number of bytes that are contiguous
 * from there.  STATUS_MISSING, perhaps without setting the error: the page tables do not translate
 * the address, or a table is not in the core.  Otherwise returns as memory_read(), which is called
 * at most once for each level.
 */
enum status page_tables_walk(const struct page_tables *tables, const struct core *core,
			     uint64_t vaddr, uint64_t *paddr, uint64_t *length, struct error *e);

/*
 * Whether the kernel could not write at a virtual address; false: it could, or that is not known.  length: of bytes from
 * there on of which the same is true.  Only failures that end the whole operation are returned.
 */
enum status page_tables_read_only(const struct page_tables *tables, const struct core *core, uint64_t vaddr,
				  bool *read_only, uint64_t *length, struct error *e);

/*
 * What a visit calls, in the order of addresses, for the tables below the root and the memory that begin
 * at an address from first to last.  A failure ends the visit.
 */
struct page_tables_visit {
	uint64_t first, last;
	/* A table, before what is in it. */
	enum status (*table)(void *arg, uint64_t paddr, struct error *e);
	/* A page or block of memory. */
	enum status (*memory)(void *arg, uint64_t paddr, struct error *e);
	void *arg;
	/*
	 * How many tables to read, since those of a broken core may lead anywhere.  What is left is here
	 * afterwards, for another visit.
	 */
	unsigned budget;
};

/* Tables that are not in the core are left out.  Only failures that end the whole operation. */
enum status page_tables_visit(const struct page_tables *tables, const struct core *core,
			      struct page_tables_visit *visit, struct error *e);

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

/*
 * Does the kernel itself say that an address is of this memory?  Its page tables do, and for arm64's image, where they may
 * lack the first page, kimage_voffset.
 */
bool virt_confirms(const struct virt *v, uint64_t vaddr, uint64_t paddr);

/* Only memory of the segments' headers and of info is read.  What is not known stays empty. */
void virt_init(struct virt *v, const struct core *core, const struct vmcoreinfo *info);

/* STATUS_MISSING: the address cannot be translated, or the memory is not in the core. */
enum status virt_read(const struct virt *v, uint64_t vaddr, size_t len, uint8_t *dst,
		      struct error *e);

/* The same, with the latest translation, which is kept: length 0 at first. */
enum status virt_read_near(const struct virt *v, struct virt_linear *near, uint64_t vaddr, size_t len, uint8_t *dst,
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
