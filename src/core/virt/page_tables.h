// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page tables of the crashed kernel.  Those of x86_64 and arm64 differ in sizes and in the bits
 * of an entry, not in structure: a table is a page of 8-byte entries (the root may be shorter), and
 * an entry leads to a table of the next level, or to a page or block of memory.
 */
#ifndef NSPLIT_CORE_VIRT_PAGE_TABLES_H
#define NSPLIT_CORE_VIRT_PAGE_TABLES_H

#include "core/memory.h"

enum page_entry { PAGE_ENTRY_ABSENT, PAGE_ENTRY_TABLE, PAGE_ENTRY_MEMORY };

/* Roots have up to so many entries: with pages of 64 KiB and addresses of 42 bits. */
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
 * The number of bytes from a virtual address on that the kernel could not write; 0: it could, or that is
 * not known.  Only failures that end the whole operation are returned.
 */
enum status page_tables_read_only(const struct page_tables *tables, const struct core *core, uint64_t vaddr,
				  uint64_t *length, struct error *e);

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

#endif
