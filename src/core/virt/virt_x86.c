// SPDX-License-Identifier: GPL-2.0-or-later
/* The numbers and page tables that translate kernel addresses on x86_64. */
#include "config.h"

#include "base/bytes.h"
#include "core/virt/virt_arch.h"

/* arch/x86/include/asm/page_64_types.h */
static const uint64_t START_KERNEL_MAP = 0xffffffff80000000;
static const uint64_t KERNEL_IMAGE_SIZE = (uint64_t)1 << 30;

/*
 * Kernels before 4.10 have no phys_base: it follows from the first segment at such an address, the
 * image.
 */
static uint64_t find_phys_base(const struct virt *v)
{
	const struct segment_index *x = &v->core->virtual;
	const struct segment *s;
	uint64_t value;
	size_t at;

	if (vmcoreinfo_get(v->info, "NUMBER", "phys_base", &value))
		return value;
	at = segment_index_up_to(x, START_KERNEL_MAP - 1);
	if (at == x->count)
		return 0;
	s = x->ranges[at].segment;
	return s->paddr - (s->vaddr - START_KERNEL_MAP);
}

/*
 * Intel SDM, volume 3A, 4.5: bit 0 is "present", bit 7 "page size", which at the last level selects
 * memory types.  Pages are 4 KiB, 2 MiB or 1 GiB; above, bit 7 is reserved.
 */
static enum page_entry entry_kind(uint64_t entry, unsigned shift, bool last_level)
{
	const uint64_t present = 1, large = 1 << 7;

	if (!(entry & present))
		return PAGE_ENTRY_ABSENT;
	if (last_level)
		return PAGE_ENTRY_MEMORY;
	if (!(entry & large))
		return PAGE_ENTRY_TABLE;
	return shift <= 30 ? PAGE_ENTRY_MEMORY : PAGE_ENTRY_ABSENT;
}

/* Bit 1 is "read/write".  The kernel sets it in the entries of tables above, too. */
static bool is_read_only(uint64_t entry)
{
	return !(entry & 2);
}

/* The kernel has the upper half of the root table: 256 entries of 8 bytes. */
static void find_tables(struct virt *v)
{
	const uint64_t upper_half = 256 * 8;
	bool five = virt_number_or(v, "pgtable_l5_enabled", 0);
	uint64_t root;

	if (!vmcoreinfo_get(v->info, "SYMBOL", "swapper_pg_dir", &root) &&
	    !vmcoreinfo_get(v->info, "SYMBOL", "init_top_pgt", &root))
		return;
	v->tables = (struct page_tables){
		.first = five ? -((uint64_t)1 << 56) : -((uint64_t)1 << 47),
		.root = root - START_KERNEL_MAP + v->phys_base + upper_half,
		.levels = five ? 5 : 4,
		.page_shift = 12,
		.address = 0x000ffffffffff000 & ~virt_number_or(v, "sme_mask", 0),
		.kind = entry_kind,
		.read_only = is_read_only,
	};
}

void virt_x86_init(struct virt *v)
{
	uint64_t size = virt_number_or(v, "KERNEL_IMAGE_SIZE", KERNEL_IMAGE_SIZE);

	v->phys_base = find_phys_base(v);
	/* The image is followed by modules and the fixmap. */
	v->linear[0] = (struct virt_linear){
		.vaddr = START_KERNEL_MAP,
		.paddr = v->phys_base,
		.length = min_u64(size, -START_KERNEL_MAP),
	};
	find_tables(v);
}
