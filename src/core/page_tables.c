// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "core/page_tables.h"

/* Where an entry leads to. */
static uint64_t address_of(const struct page_tables *tables, uint64_t entry)
{
	return (entry & tables->address) | (entry & tables->high) << tables->high_shift;
}

enum status page_tables_walk(const struct page_tables *tables, const struct core *core,
			     uint64_t vaddr, uint64_t *paddr, uint64_t *length, struct error *e)
{
	const unsigned index_bits = tables->page_shift - 3;
	uint64_t table = tables->root;

	if (vaddr < tables->first)
		return STATUS_MISSING;
	for (unsigned level = tables->levels; level--; ) {
		unsigned shift = tables->page_shift + level * index_bits;
		uint64_t index = (vaddr - tables->first) >> shift & (((uint64_t)1 << index_bits) - 1);
		uint64_t within = ((uint64_t)1 << shift) - 1, entry;
		uint8_t bytes[8];
		enum status status = memory_read(core, table + index * sizeof(bytes), sizeof(bytes),
						 bytes, e);

		if (status)
			return status;
		entry = get_le64(bytes);
		table = address_of(tables, entry);
		switch (tables->kind(entry, shift, level == 0)) {
		case PAGE_ENTRY_TABLE:
			break;
		case PAGE_ENTRY_MEMORY:
			*paddr = (table & ~within) | (vaddr & within);
			*length = within + 1 - (vaddr & within);
			return STATUS_OK;
		case PAGE_ENTRY_ABSENT:
			return STATUS_MISSING;
		}
	}
	return STATUS_MISSING;
}

static enum status visit_table(const struct page_tables *tables, const struct core *core,
			       struct page_tables_visit *visit, unsigned level, uint64_t table,
			       uint64_t vaddr, uint64_t entries, struct error *e);

static enum status visit_entry(const struct page_tables *tables, const struct core *core,
			       struct page_tables_visit *visit, unsigned level, uint64_t entry,
			       uint64_t vaddr, struct error *e)
{
	const unsigned index_bits = tables->page_shift - 3;
	unsigned shift = tables->page_shift + level * index_bits;
	uint64_t paddr = address_of(tables, entry);
	enum status status;

	switch (tables->kind(entry, shift, level == 0)) {
	case PAGE_ENTRY_TABLE:
		if (!visit->budget)
			return STATUS_OK;
		visit->budget--;
		status = vaddr < visit->first ? STATUS_OK : visit->table(visit->arg, paddr, e);
		return status ? status : visit_table(tables, core, visit, level - 1, paddr, vaddr,
						     (uint64_t)1 << index_bits, e);
	case PAGE_ENTRY_MEMORY:
		if (vaddr < visit->first)
			return STATUS_OK;
		return visit->memory(visit->arg, paddr & -((uint64_t)1 << shift), e);
	default:
		return STATUS_OK;
	}
}

/* The depth of the recursion is the number of levels. */
static enum status visit_table(const struct page_tables *tables, const struct core *core,
			       struct page_tables_visit *visit, unsigned level, uint64_t table,
			       uint64_t vaddr, uint64_t entries, struct error *e)
{
	unsigned shift = tables->page_shift + level * (tables->page_shift - 3);
	uint64_t length = (uint64_t)1 << shift;
	uint8_t piece[1024];

	for (uint64_t i = 0; i < entries && vaddr <= visit->last; i++, vaddr += length) {
		size_t within = i * 8 % sizeof(piece);
		enum status status = STATUS_OK;

		if (!within)
			status = memory_read(core, table + i * 8, min_u64(sizeof(piece), (entries - i) * 8),
					     piece, e);
		if (core_bytes_end(status))
			return status;
		if (status)
			memset(piece, 0, sizeof(piece));
		if (vaddr + (length - 1) < visit->first)
			continue;
		status = visit_entry(tables, core, visit, level, get_le64(piece + within), vaddr, e);
		if (status)
			return status;
	}
	return STATUS_OK;
}

enum status page_tables_visit(const struct page_tables *tables, const struct core *core,
			      struct page_tables_visit *visit, struct error *e)
{
	unsigned level = tables->levels - 1, shift;

	if (!tables->levels)
		return STATUS_OK;
	shift = tables->page_shift + level * (tables->page_shift - 3);
	return visit_table(tables, core, visit, level, tables->root, tables->first,
			   -tables->first >> shift, e);
}
