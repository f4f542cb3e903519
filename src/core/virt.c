// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "core/virt.h"

/* arch/x86/include/asm/page_64_types.h */
static const uint64_t START_KERNEL_MAP = 0xffffffff80000000;

enum { PAGE_4K = 4096 };

static uint64_t number_or(const struct virt *v, const char *name, uint64_t otherwise)
{
	uint64_t value;

	return vmcoreinfo_get(v->info, "NUMBER", name, &value) ? value : otherwise;
}

/* By p_vaddr; both ends as the segment has them, since either may be made up. */
static bool by_segment(const struct core *core, uint64_t vaddr, uint64_t *paddr)
{
	for (size_t i = 0; i < core->segments_count; i++) {
		const struct segment *s = &core->segments[i];

		/* Kernel addresses only: some writers leave p_vaddr 0. */
		if (s->vaddr >> 56 != 0xff || vaddr < s->vaddr || vaddr - s->vaddr >= s->filesz)
			continue;
		*paddr = s->paddr + (vaddr - s->vaddr);
		return true;
	}
	return false;
}

/* --- x86_64 ------------------------------------------------------------------ */

/* Kernels before 4.10 do not tell: there the segment of the image does. */
static uint64_t x86_phys_base(const struct virt *v)
{
	uint64_t value;

	if (vmcoreinfo_get(v->info, "NUMBER", "phys_base", &value))
		return value;
	for (size_t i = 0; i < v->core->segments_count; i++) {
		const struct segment *s = &v->core->segments[i];

		if (s->vaddr >= START_KERNEL_MAP)
			return s->paddr - (s->vaddr - START_KERNEL_MAP);
	}
	return 0;
}

static uint64_t x86_image(const struct virt *v, uint64_t vaddr)
{
	return vaddr - START_KERNEL_MAP + x86_phys_base(v);
}

/* Intel SDM, volume 3A, 4.5: entries of 8 bytes, 512 a table, the address in bits 12 to 51. */
static bool x86_walk(const struct virt *v, uint64_t vaddr, uint64_t *paddr)
{
	const uint64_t address = 0x000ffffffffff000 & ~number_or(v, "sme_mask", 0);
	const uint64_t present = 1, large = 1 << 7;
	int shift = number_or(v, "pgtable_l5_enabled", 0) ? 48 : 39;
	uint64_t table, entry;
	struct error ignored;

	if (!vmcoreinfo_get(v->info, "SYMBOL", "swapper_pg_dir", &table) &&
	    !vmcoreinfo_get(v->info, "SYMBOL", "init_top_pgt", &table))
		return false;
	table = x86_image(v, table);
	for (;; shift -= 9) {
		uint8_t bytes[8];
		uint64_t within;

		if (memory_read(v->core, table + ((vaddr >> shift) & 511) * 8, sizeof(bytes),
				bytes, &ignored))
			return false;
		entry = get_le64(bytes);
		if (!(entry & present))
			return false;
		within = ((uint64_t)1 << shift) - 1;
		if (shift == 12 || (shift <= 30 && (entry & large))) {
			*paddr = (entry & address & ~within) | (vaddr & within);
			return true;
		}
		table = entry & address;
	}
}

static bool x86_translate(const struct virt *v, uint64_t vaddr, uint64_t *paddr)
{
	if (vaddr >= START_KERNEL_MAP) {
		*paddr = x86_image(v, vaddr);
		return true;
	}
	return x86_walk(v, vaddr, paddr) || by_segment(v->core, vaddr, paddr);
}

/* --- arm64 ------------------------------------------------------------------- */

/*
 * Does the direct map have it, and where does that begin?  arch/arm64/include/asm/memory.h: since 5.4 the
 * direct map is the lower half of the kernel's addresses and the image lies in the upper one;
 * before, it was the other way around.  A kernel for 52 bits keeps its direct map
 * at -(1 << 52) on a machine of 48, so what the machine has (TCR_EL1_T1SZ) does not count.
 */
static bool arm_is_direct(const struct virt *v, uint64_t vaddr, uint64_t bits, uint64_t *begin)
{
	uint64_t least, middle, stext;
	struct error ignored;
	uint32_t page;

	if (!vmcoreinfo_get(v->info, "SYMBOL", "_stext", &stext) || bits < 36 || bits > 52 ||
	    vmcoreinfo_page_size(v->info, &page, &ignored))
		return false;
	least = bits > 48 ? (page == 16384 ? 47 : 48) : bits;
	middle = -((uint64_t)1 << (least - 1));
	if (stext > middle) {
		*begin = -((uint64_t)1 << bits);
		return vaddr >= *begin && vaddr < middle;
	}
	*begin = -((uint64_t)1 << (bits - 1));
	return vaddr >= *begin;
}

static bool arm_translate(const struct virt *v, uint64_t vaddr, uint64_t *paddr)
{
	uint64_t bits, phys_offset, image, begin;

	if (!vmcoreinfo_get(v->info, "NUMBER", "VA_BITS", &bits) ||
	    !vmcoreinfo_get(v->info, "NUMBER", "PHYS_OFFSET", &phys_offset) ||
	    !vmcoreinfo_get(v->info, "NUMBER", "kimage_voffset", &image))
		return by_segment(v->core, vaddr, paddr);
	/* A tag (KASAN) stands where the kernel's addresses have ones. */
	if (vaddr >> 55 & 1)
		vaddr |= (uint64_t)0xff << 56;
	*paddr = arm_is_direct(v, vaddr, bits, &begin) ? vaddr - begin + phys_offset
						       : vaddr - image;
	return true;
}

/* ----------------------------------------------------------------------------- */

bool virt_translate(const struct virt *v, uint64_t vaddr, uint64_t *paddr)
{
	switch (v->core->machine) {
	case EM_X86_64:
		return x86_translate(v, vaddr, paddr);
	case EM_AARCH64:
		return arm_translate(v, vaddr, paddr);
	default:
		return by_segment(v->core, vaddr, paddr);
	}
}

uint64_t virt_phys_base(const struct virt *v)
{
	switch (v->core->machine) {
	case EM_X86_64:
		return x86_phys_base(v);
	case EM_AARCH64:
		return number_or(v, "PHYS_OFFSET", 0);
	default:
		return 0;
	}
}

/* Page by page: what lies together in the direct map lies together in memory, but only there. */
enum status virt_read(const struct virt *v, uint64_t vaddr, size_t len, uint8_t *dst,
		      struct error *e)
{
	while (len) {
		size_t some = min_u64(len, PAGE_4K - vaddr % PAGE_4K);
		uint64_t paddr;
		enum status status;

		if (!virt_translate(v, vaddr, &paddr))
			return error_set(e, STATUS_MISSING, "kernel address %#" PRIx64 " is in no "
					 "page table", vaddr);
		status = memory_read(v->core, paddr, some, dst, e);
		if (status)
			return error_prefix(e, "kernel address %#" PRIx64 ": ", vaddr);
		dst += some;
		vaddr += some;
		len -= some;
	}
	return STATUS_OK;
}
