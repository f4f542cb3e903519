// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "core/virt.h"

/* arch/x86/include/asm/page_64_types.h */
static const uint64_t START_KERNEL_MAP = 0xffffffff80000000;
static const uint64_t KERNEL_IMAGE_SIZE = (uint64_t)1 << 30;

/* An address and its translation. */
struct translation {
	uint64_t vaddr;
	uint64_t paddr;
	uint64_t length;		/* bytes that are contiguous from paddr */
};

static uint64_t number_or(const struct virt *v, const char *name, uint64_t otherwise)
{
	uint64_t value;

	return vmcoreinfo_get(v->info, "NUMBER", name, &value) ? value : otherwise;
}

/* By p_vaddr, for kernel addresses only, since some writers leave it 0. */
static enum status by_segment(const struct virt *v, struct translation *t, struct error *e)
{
	const struct segment_index *x = &v->core->virtual;
	size_t at;

	/* If this segment is not at a kernel address, those before it are not either. */
	if (segment_index_last(x, segment_index_up_to(x, t->vaddr), t->vaddr, &at) &&
	    x->ranges[at].first >> 56 == 0xff) {
		uint64_t within = t->vaddr - x->ranges[at].first;

		t->paddr = x->ranges[at].segment->paddr + within;
		t->length = x->ranges[at].segment->filesz - within;
		return STATUS_OK;
	}
	return error_set(e, STATUS_MISSING, "cannot translate kernel address %#" PRIx64, t->vaddr);
}

/* --- x86_64 ------------------------------------------------------------------ */

/*
 * Kernels before 4.10 have no phys_base: it follows from the first segment at such an address, the
 * image.
 */
static uint64_t x86_phys_base(const struct virt *v)
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

static uint64_t x86_image(const struct virt *v, uint64_t vaddr)
{
	return vaddr - START_KERNEL_MAP + x86_phys_base(v);
}

/* The image is followed by modules and the fixmap. */
static bool x86_is_image(const struct virt *v, uint64_t vaddr, uint64_t *left)
{
	uint64_t size = number_or(v, "KERNEL_IMAGE_SIZE", KERNEL_IMAGE_SIZE);

	if (vaddr < START_KERNEL_MAP || vaddr - START_KERNEL_MAP >= size)
		return false;
	*left = size - (vaddr - START_KERNEL_MAP);
	return true;
}

/*
 * Page tables: Intel SDM, volume 3A, 4.5.  A table has 512 entries of 8 bytes, with an address in
 * bits 12 to 51.  STATUS_MISSING, without setting the error: no table has the address.
 */
static enum status x86_walk(const struct virt *v, uint64_t table, struct translation *t,
			    struct error *e)
{
	const uint64_t address = 0x000ffffffffff000 & ~number_or(v, "sme_mask", 0);
	const uint64_t present = 1, large = 1 << 7;
	int shift = number_or(v, "pgtable_l5_enabled", 0) ? 48 : 39;

	for (;; shift -= 9) {
		uint64_t at = table + ((t->vaddr >> shift) & 511) * 8, entry, within;
		uint8_t bytes[8];
		enum status status = memory_read(v->core, at, sizeof(bytes), bytes, e);

		if (status)
			return status;
		entry = get_le64(bytes);
		if (!(entry & present))
			return STATUS_MISSING;
		within = ((uint64_t)1 << shift) - 1;
		if (shift == 12 || (shift <= 30 && (entry & large))) {
			t->paddr = (entry & address & ~within) | (t->vaddr & within);
			t->length = within + 1 - (t->vaddr & within);
			return STATUS_OK;
		}
		table = entry & address;
	}
}

static enum status x86_translate(const struct virt *v, struct translation *t, struct error *e)
{
	enum status status = STATUS_MISSING;
	uint64_t root;

	if (x86_is_image(v, t->vaddr, &t->length)) {
		t->paddr = x86_image(v, t->vaddr);
		return STATUS_OK;
	}
	if (vmcoreinfo_get(v->info, "SYMBOL", "swapper_pg_dir", &root) ||
	    vmcoreinfo_get(v->info, "SYMBOL", "init_top_pgt", &root))
		status = x86_walk(v, x86_image(v, root), t, e);
	return status == STATUS_MISSING ? by_segment(v, t, e) : status;
}

/* --- arm64 ------------------------------------------------------------------- */

/* The addresses of the direct map, and those among which the image is. */
struct arm_layout {
	uint64_t direct, direct_end;	/* the end is exclusive; 0: up to the last address */
	uint64_t image, image_end;	/* likewise */
};

/*
 * arch/arm64/include/asm/memory.h: since 5.4, the direct map is in the lower half of the kernel's
 * addresses and the image in the upper half; before, it was the other way around.  A kernel built
 * for 52 bits has its direct map at -(1 << 52) even on a machine with 48 bits, so TCR_EL1_T1SZ, the
 * number of bits of the machine, is irrelevant.
 */
static bool arm_layout(const struct virt *v, struct arm_layout *l)
{
	uint64_t bits, least, middle, stext;
	struct error ignored;
	uint32_t page;

	if (!vmcoreinfo_get(v->info, "NUMBER", "VA_BITS", &bits) || bits < 36 || bits > 52 ||
	    !vmcoreinfo_get(v->info, "SYMBOL", "_stext", &stext) ||
	    vmcoreinfo_page_size(v->info, &page, &ignored))
		return false;
	least = bits > 48 ? (page == 16384 ? 47 : 48) : bits;
	middle = -((uint64_t)1 << (least - 1));
	if (stext > middle)
		*l = (struct arm_layout){ -((uint64_t)1 << bits), middle, middle, 0 };
	else
		*l = (struct arm_layout){ -((uint64_t)1 << (bits - 1)), 0, -((uint64_t)1 << bits),
					  -((uint64_t)1 << (bits - 1)) };
	return true;
}

static bool is_within(uint64_t vaddr, uint64_t begin, uint64_t end, uint64_t *left)
{
	*left = end - vaddr;
	return vaddr >= begin && (!end || vaddr < end);
}

static enum status arm_translate(const struct virt *v, struct translation *t, struct error *e)
{
	uint64_t phys_offset, image, vaddr = t->vaddr;
	struct arm_layout l;

	if (!arm_layout(v, &l) ||
	    !vmcoreinfo_get(v->info, "NUMBER", "PHYS_OFFSET", &phys_offset) ||
	    !vmcoreinfo_get(v->info, "NUMBER", "kimage_voffset", &image))
		return by_segment(v, t, e);
	/* The upper 8 bits may hold a tag (KASAN); in kernel addresses they are ones. */
	if (vaddr >> 55 & 1)
		vaddr |= (uint64_t)0xff << 56;
	if (is_within(vaddr, l.direct, l.direct_end, &t->length))
		t->paddr = vaddr - l.direct + phys_offset;
	else if (is_within(vaddr, l.image, l.image_end, &t->length))
		t->paddr = vaddr - image;
	else
		return by_segment(v, t, e);
	return STATUS_OK;
}

/* Without PHYS_OFFSET, the first segment in the direct map determines it. */
static uint64_t arm_phys_offset(const struct virt *v)
{
	struct arm_layout l;
	uint64_t value, left;

	if (vmcoreinfo_get(v->info, "NUMBER", "PHYS_OFFSET", &value))
		return value;
	if (!arm_layout(v, &l))
		return 0;
	for (size_t i = 0; i < v->core->segments_count; i++) {
		const struct segment *s = &v->core->segments[i];

		if (is_within(s->vaddr, l.direct, l.direct_end, &left))
			return s->paddr - (s->vaddr - l.direct);
	}
	return 0;
}

/* ----------------------------------------------------------------------------- */

enum status virt_translate(const struct virt *v, uint64_t vaddr, uint64_t *paddr, uint64_t *length,
			   struct error *e)
{
	struct translation t = { .vaddr = vaddr };
	enum status status;

	if (v->core->machine == EM_X86_64)
		status = x86_translate(v, &t, e);
	else if (v->core->machine == EM_AARCH64)
		status = arm_translate(v, &t, e);
	else
		status = by_segment(v, &t, e);
	*paddr = t.paddr;
	*length = t.length;
	return status;
}

uint64_t virt_phys_base(const struct virt *v)
{
	/* The default of makedumpfile for kernels without phys_ram_base. */
	const uint64_t riscv = 0x80200000;

	switch (v->core->machine) {
	case EM_X86_64:
		return x86_phys_base(v);
	case EM_AARCH64:
		return arm_phys_offset(v);
	case EM_RISCV:
		return number_or(v, "phys_ram_base", riscv);
	default:
		return 0;
	}
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
