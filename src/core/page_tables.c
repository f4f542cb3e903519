// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "core/page_tables.h"

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
		table = (entry & tables->address) | (entry & tables->high) << tables->high_shift;
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
