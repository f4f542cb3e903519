// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "core/virt/virt_arch.h"

/* --- page tables --------------------------------------------------------- */

/* Where an entry leads to. */
static uint64_t address_of(const struct page_tables *tables, uint64_t entry)
{
	return (entry & tables->address) | (entry & tables->high) << tables->high_shift;
}

static unsigned root_shift(const struct page_tables *tables)
{
	return tables->page_shift + (tables->levels - 1) * (tables->page_shift - 3);
}

static uint64_t root_entries(const struct page_tables *tables)
{
	return -tables->first >> root_shift(tables);
}

enum status page_tables_find_absent(struct page_tables_absent *absent, const struct page_tables *tables,
				    const struct core *core, struct error *e)
{
	memset(absent, 0, sizeof(*absent));
	if (!tables->levels || root_entries(tables) > PAGE_TABLES_ROOT_MAX)
		return STATUS_OK;
	for (uint64_t i = 0; i < root_entries(tables); i++) {
		uint8_t bytes[8];
		enum status status = memory_read(core, tables->root + i * 8, sizeof(bytes), bytes, e);

		if (core_bytes_end(status))
			return status;
		if (!status && tables->kind(get_le64(bytes), root_shift(tables), tables->levels == 1) ==
			       PAGE_ENTRY_ABSENT)
			absent->entries[i / 8] |= (uint8_t)(1 << i % 8);
	}
	return STATUS_OK;
}

static bool is_known_absent(const struct page_tables *tables, uint64_t vaddr)
{
	uint64_t i = (vaddr - tables->first) >> root_shift(tables);

	return tables->absent && i < PAGE_TABLES_ROOT_MAX && tables->absent->entries[i / 8] >> i % 8 & 1;
}

/* An entry that leads to memory. */
struct leaf {
	uint64_t entry;
	unsigned shift;			/* it translates 2^shift bytes */
};

static enum status find_leaf(const struct page_tables *tables, const struct core *core, uint64_t vaddr,
			     struct leaf *leaf, struct error *e)
{
	const unsigned index_bits = tables->page_shift - 3;
	uint64_t table = tables->root;

	if (!tables->levels || vaddr < tables->first || is_known_absent(tables, vaddr))
		return STATUS_MISSING;
	for (unsigned level = tables->levels; level--; ) {
		unsigned shift = tables->page_shift + level * index_bits;
		uint64_t index = (vaddr - tables->first) >> shift & (((uint64_t)1 << index_bits) - 1);
		uint8_t bytes[8];
		enum status status = memory_read(core, table + index * sizeof(bytes), sizeof(bytes),
						 bytes, e);

		if (status)
			return status;
		*leaf = (struct leaf){ get_le64(bytes), shift };
		table = address_of(tables, leaf->entry);
		switch (tables->kind(leaf->entry, shift, level == 0)) {
		case PAGE_ENTRY_TABLE:
			break;
		case PAGE_ENTRY_MEMORY:
			return STATUS_OK;
		case PAGE_ENTRY_ABSENT:
			return STATUS_MISSING;
		}
	}
	return STATUS_MISSING;
}

enum status page_tables_walk(const struct page_tables *tables, const struct core *core,
			     uint64_t vaddr, uint64_t *paddr, uint64_t *length, struct error *e)
{
	struct leaf leaf;
	enum status status = find_leaf(tables, core, vaddr, &leaf, e);
	uint64_t within;

	if (status)
		return status;
	within = ((uint64_t)1 << leaf.shift) - 1;
	*paddr = (address_of(tables, leaf.entry) & ~within) | (vaddr & within);
	*length = within + 1 - (vaddr & within);
	return STATUS_OK;
}

enum status page_tables_read_only(const struct page_tables *tables, const struct core *core, uint64_t vaddr,
				  uint64_t *length, struct error *e)
{
	struct leaf leaf;
	enum status status = find_leaf(tables, core, vaddr, &leaf, e);

	*length = 0;
	if (!status && tables->read_only(leaf.entry))
		*length = ((uint64_t)1 << leaf.shift) - (vaddr & (((uint64_t)1 << leaf.shift) - 1));
	return core_bytes_end(status) ? status : STATUS_OK;
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

/* The entries that are in a piece of a table, of which most are 0. */
static enum status visit_piece(const struct page_tables *tables, const struct core *core,
			       struct page_tables_visit *visit, unsigned level, const uint8_t *piece,
			       uint64_t vaddr, uint64_t entries, struct error *e)
{
	uint64_t length = (uint64_t)1 << (tables->page_shift + level * (tables->page_shift - 3));

	for (uint64_t i = 0; i < entries; i++) {
		uint64_t entry = get_le64(piece + i * 8), from = vaddr + i * length;
		enum status status;

		if (!entry || from + (length - 1) < visit->first)
			continue;
		if (from > visit->last)
			break;
		status = visit_entry(tables, core, visit, level, entry, from, e);
		if (status)
			return status;
	}
	return STATUS_OK;
}

/* The depth of the recursion is the number of levels.  What cannot be read is left out. */
static enum status visit_table(const struct page_tables *tables, const struct core *core,
			       struct page_tables_visit *visit, unsigned level, uint64_t table,
			       uint64_t vaddr, uint64_t entries, struct error *e)
{
	unsigned shift = tables->page_shift + level * (tables->page_shift - 3);
	_Alignas(64) uint8_t piece[4096];	/* a table; see memory_to_read() */
	uint64_t some;

	for (uint64_t i = 0; i < entries && vaddr <= visit->last; i += some, vaddr += some << shift) {
		enum status status;

		some = min_u64(sizeof(piece) / 8, entries - i);
		status = memory_read(core, table + i * 8, some * 8, piece, e);
		if (core_bytes_end(status))
			return status;
		if (status)
			continue;
		status = visit_piece(tables, core, visit, level, piece, vaddr, some, e);
		if (status)
			return status;
	}
	return STATUS_OK;
}

enum status page_tables_visit(const struct page_tables *tables, const struct core *core,
			      struct page_tables_visit *visit, struct error *e)
{
	if (!tables->levels)
		return STATUS_OK;
	return visit_table(tables, core, visit, tables->levels - 1, tables->root, tables->first,
			   root_entries(tables), e);
}

/* --- addresses ----------------------------------------------------------- */

uint64_t virt_number_or(const struct virt *v, const char *name, uint64_t otherwise)
{
	uint64_t value;

	return vmcoreinfo_get(v->info, "NUMBER", name, &value) ? value : otherwise;
}

void virt_init(struct virt *v, const struct core *core, const struct vmcoreinfo *info)
{
	/* The default of makedumpfile for kernels without phys_ram_base. */
	const uint64_t riscv_base = 0x80200000;

	*v = (struct virt){ .core = core, .info = info };
	switch (core->machine) {
	case EM_X86_64:
		virt_x86_init(v);
		break;
	case EM_AARCH64:
		virt_arm64_init(v);
		break;
	case EM_RISCV:
		v->phys_base = virt_number_or(v, "phys_ram_base", riscv_base);
		break;
	}
}

static bool by_linear(const struct virt_linear *l, uint64_t vaddr, uint64_t *paddr,
		      uint64_t *length)
{
	uint64_t within = vaddr - l->vaddr;

	if (vaddr < l->vaddr || within >= l->length)
		return false;
	*paddr = l->paddr + within;
	*length = l->length - within;
	return true;
}

/* By p_vaddr, for kernel addresses only, since some writers leave it 0. */
static bool by_segment(const struct virt *v, uint64_t vaddr, uint64_t *paddr, uint64_t *length)
{
	const struct segment_index *x = &v->core->virtual;
	uint64_t within;
	size_t at;

	/* If this segment is not at a kernel address, those before it are not either. */
	if (!segment_index_last(x, segment_index_up_to(x, vaddr), vaddr, &at) ||
	    x->ranges[at].first >> 56 != 0xff)
		return false;
	within = vaddr - x->ranges[at].first;
	*paddr = x->ranges[at].segment->paddr + within;
	*length = x->ranges[at].segment->filesz - within;
	return true;
}

enum status virt_find(const struct virt *v, uint64_t vaddr, uint64_t *paddr, uint64_t *length,
		      struct error *e)
{
	enum status status;

	if (vaddr & v->kernel_bit)
		vaddr |= v->tag;
	if (by_linear(&v->linear[0], vaddr, paddr, length) ||
	    by_linear(&v->linear[1], vaddr, paddr, length))
		return STATUS_OK;
	status = page_tables_walk(&v->tables, v->core, vaddr, paddr, length, e);
	if (!status || core_bytes_end(status))
		return status;
	if (by_linear(&v->assumed, vaddr, paddr, length) || by_segment(v, vaddr, paddr, length))
		return STATUS_OK;
	return STATUS_MISSING;
}

enum status virt_translate(const struct virt *v, uint64_t vaddr, uint64_t *paddr, uint64_t *length,
			   struct error *e)
{
	uint64_t sought = vaddr & v->kernel_bit ? vaddr | v->tag : vaddr;
	enum status status = virt_find(v, vaddr, paddr, length, e);

	if (status == STATUS_MISSING)
		error_set(e, status, "cannot translate kernel address %#" PRIx64, sought);
	return status;
}

enum status virt_read(const struct virt *v, uint64_t vaddr, size_t len, uint8_t *dst,
		      struct error *e)
{
	while (len) {
		uint64_t paddr, some;
		enum status status = virt_translate(v, vaddr, &paddr, &some, e);

		if (status)
			return status;
		some = min_u64(some, len);
		status = memory_read(v->core, paddr, some, dst, e);
		if (status)
			return error_prefix(e, "kernel address %#" PRIx64 ": ", vaddr);
		dst += some;
		vaddr += some;
		len -= some;
	}
	return STATUS_OK;
}
