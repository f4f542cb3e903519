// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "core/virt_arch.h"

enum { VA_BITS_LEAST = 36, VA_BITS_MOST = 52 };

/* What VMCOREINFO says. */
struct arm64 {
	unsigned va_bits;
	unsigned page_shift;
	uint64_t stext, kimage_voffset;
	bool has_stext, has_voffset;
};

static unsigned log2_of_page(uint32_t size)
{
	unsigned shift = 0;

	while (size >> shift > 1)
		shift++;
	return shift;
}

static bool read_info(const struct virt *v, struct arm64 *a)
{
	uint64_t bits = virt_number_or(v, "VA_BITS", 0);
	struct error ignored;
	uint32_t page;

	if (bits < VA_BITS_LEAST || bits > VA_BITS_MOST ||
	    vmcoreinfo_page_size(v->info, &page, &ignored))
		return false;
	*a = (struct arm64){ .va_bits = (unsigned)bits, .page_shift = log2_of_page(page) };
	a->has_stext = vmcoreinfo_get(v->info, "SYMBOL", "_stext", &a->stext);
	a->has_voffset = vmcoreinfo_get(v->info, "NUMBER", "kimage_voffset", &a->kimage_voffset);
	return true;
}

/*
 * arch/arm64/include/asm/memory.h: since 5.4, the direct map is in the lower half of the kernel's
 * addresses and everything else in the upper half; before, it was the other way around.  A kernel
 * built for 52 bits computes with a direct map at -(1 << 52) even on a machine with 48 bits, so
 * TCR_EL1_T1SZ is irrelevant here.
 */
static struct virt_linear direct_map(const struct arm64 *a)
{
	unsigned least = a->va_bits > 48 ? (a->page_shift == 14 ? 47 : 48) : a->va_bits;
	uint64_t middle = -((uint64_t)1 << (least - 1)), begin = -((uint64_t)1 << a->va_bits);

	if (!a->has_stext)
		return (struct virt_linear){ 0 };
	if (a->stext > middle)
		return (struct virt_linear){ .vaddr = begin, .length = middle - begin };
	begin = -((uint64_t)1 << (a->va_bits - 1));
	return (struct virt_linear){ .vaddr = begin, .length = -begin };
}

/* Without PHYS_OFFSET, the first segment in the direct map determines it. */
static bool find_phys_offset(const struct virt *v, const struct virt_linear *direct,
			     uint64_t *phys_offset)
{
	if (vmcoreinfo_get(v->info, "NUMBER", "PHYS_OFFSET", phys_offset))
		return true;
	for (size_t i = 0; i < v->core->segments_count; i++) {
		const struct segment *s = &v->core->segments[i];

		if (s->vaddr >= direct->vaddr && s->vaddr - direct->vaddr < direct->length) {
			*phys_offset = s->paddr - (s->vaddr - direct->vaddr);
			return true;
		}
	}
	return false;
}

/* The other half: the image, and what cannot be distinguished from it. */
static void find_image(struct virt *v, const struct arm64 *a, const struct virt_linear *direct)
{
	uint64_t begin = direct->vaddr + direct->length;

	if (!a->has_voffset || !direct->length)
		return;
	if (!begin)
		begin = -((uint64_t)1 << a->va_bits);
	v->linear[1] = (struct virt_linear){
		.vaddr = begin,
		.paddr = begin - a->kimage_voffset,
		.length = begin > direct->vaddr ? -begin : direct->length,
	};
}

void virt_arm64_init(struct virt *v)
{
	struct virt_linear direct = { 0 };
	bool known;
	struct arm64 a;

	/* The upper 8 bits may hold a tag (KASAN); in kernel addresses they are ones. */
	v->kernel_bit = (uint64_t)1 << 55;
	v->tag = (uint64_t)0xff << 56;
	known = read_info(v, &a);
	if (known)
		direct = direct_map(&a);
	if (find_phys_offset(v, &direct, &v->phys_base)) {
		direct.paddr = v->phys_base;
		v->linear[0] = direct;
	}
	if (known)
		find_image(v, &a, &direct);
}
