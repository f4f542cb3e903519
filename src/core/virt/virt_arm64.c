// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The numbers and page tables that translate kernel addresses on arm64.
 *
 * arm64 has three page sizes, and a kernel has 36 to 52 bits of virtual addresses.  VA_BITS is what
 * it was built for.  A kernel built for 52 bits uses 48 (with pages of 16 KiB: 47) on a machine that
 * has no more; TCR_EL1_T1SZ, exported since 5.9, says which.
 */
#include "config.h"

#include "base/bytes.h"
#include "core/virt/virt_arch.h"

enum { VA_BITS_LEAST = 36, VA_BITS_MOST = 52 };

/* The image is placed at a multiple of this, and _stext follows its header. */
static const uint64_t IMAGE_UNIT = (uint64_t)2 << 20;
/* VMCOREINFO does not say where the image ends.  Debian's have 27 MiB (5.10) to 51 MiB (7.3). */
static const uint64_t IMAGE_LENGTH = (uint64_t)128 << 20;

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

/*
 * The image is amid the addresses of vmalloc() and modules, and only a segment shows where it ends:
 * kexec writes one for it, from _text to _end, which can be trusted if it agrees with
 * kimage_voffset.  Without it (a core of QEMU), the page tables come first.  If they do not have the
 * address since they are damaged, what can be the image is taken for it.
 */
static void find_image(struct virt *v, const struct arm64 *a)
{
	const struct segment_index *x = &v->core->virtual;
	uint64_t begin = round_down(a->stext, IMAGE_UNIT);
	size_t at;

	if (!a->has_stext || !a->has_voffset)
		return;
	if (segment_index_last(x, segment_index_up_to(x, a->stext), a->stext, &at)) {
		const struct segment image = core_segment_whole(v->core, x->ranges[at].segment,
								(uint64_t)1 << a->page_shift);

		if (image.vaddr - image.paddr == a->kimage_voffset) {
			v->linear[1] = (struct virt_linear){ image.vaddr, image.paddr, image.memsz };
			return;
		}
	}
	v->assumed = (struct virt_linear){
		.vaddr = begin,
		.paddr = begin - a->kimage_voffset,
		.length = min_u64(IMAGE_LENGTH, -begin),
	};
}

/*
 * ARM ARM, D8.3: the lower two bits are 3 for a table and, at the last level, for a page; 1 is a
 * block, and reserved at the last level.  Blocks are 2 MiB, 32 MiB, 512 MiB or, with pages of 4 KiB,
 * 1 GiB.  Machines with 52 bits have larger ones, but the kernel makes none (pud_sect_supported()).
 */
static enum page_entry entry_kind(uint64_t entry, unsigned shift, bool last_level)
{
	const uint64_t valid = 1, table_or_page = 2;

	if (!(entry & valid))
		return PAGE_ENTRY_ABSENT;
	if (entry & table_or_page)
		return last_level ? PAGE_ENTRY_MEMORY : PAGE_ENTRY_TABLE;
	return !last_level && shift <= 30 ? PAGE_ENTRY_MEMORY : PAGE_ENTRY_ABSENT;
}

/*
 * ARM ARM, D8.4: bit 7 (AP[2]) says "read-only", unless bit 51 (DBM) lets the hardware clear it at the first
 * write, as it may for PTE_WRITE.
 */
static bool is_read_only(uint64_t entry)
{
	return (entry & ((uint64_t)1 << 51 | 1 << 7)) == 1 << 7;
}

/*
 * The bits of virtual addresses for which the root table was made; 0: not known.
 *
 * With pages of 4 or 16 KiB, a kernel that uses fewer bits than it was built for also has one level
 * less (early_map_kernel() in arch/arm64/kernel/pi/map_kernel.c, since 6.9).  With pages of 64 KiB
 * the levels are the same, and so is the table: TTBR1 points into it (TTBR1_BADDR_4852_OFFSET).
 */
static unsigned table_bits(const struct virt *v, const struct arm64 *a)
{
	uint64_t t1sz = virt_number_or(v, "TCR_EL1_T1SZ", 64 - a->va_bits);

	if (t1sz < 64 - a->va_bits || t1sz > 64 - VA_BITS_LEAST)
		return 0;
	return a->page_shift == 16 ? a->va_bits : 64 - (unsigned)t1sz;
}

/*
 * Physical addresses of 52 bits: no number says whether the kernel uses them, but it follows.  With
 * pages of 64 KiB, bits 51 to 48 are in bits 15 to 12 of an entry, which are zero otherwise.  With
 * others, bits 51 and 50 are in bits 9 and 8, which otherwise say how memory is shared; the kernel
 * then always uses 52 bits for both kinds of addresses, or for none (LPA2 in arch/arm64/Kconfig).
 */
static void find_tables(struct virt *v, const struct arm64 *a)
{
	unsigned bits = table_bits(v, a);
	const uint64_t in_place = ((uint64_t)1 << (bits == 52 && a->page_shift < 16 ? 50 : 48)) - 1;
	uint64_t root;

	/* VMCOREINFO could also name pages of 8 or 32 KiB, which arm64 does not have. */
	if (!bits || !a->has_voffset || a->page_shift == 13 || a->page_shift == 15 ||
	    !vmcoreinfo_get(v->info, "SYMBOL", "swapper_pg_dir", &root))
		return;
	v->tables = (struct page_tables){
		.first = -((uint64_t)1 << bits),
		.root = root - a->kimage_voffset,
		/* ARM64_HW_PGTABLE_LEVELS() in arch/arm64/include/asm/pgtable-hwdef.h */
		.levels = (bits - 4) / (a->page_shift - 3),
		.page_shift = a->page_shift,
		.address = in_place & -((uint64_t)1 << a->page_shift),
		.kind = entry_kind,
		.read_only = is_read_only,
	};
	if (a->page_shift == 16) {
		v->tables.high = 0xf000;
		v->tables.high_shift = 36;
	} else if (bits == 52) {
		v->tables.high = 0x300;
		v->tables.high_shift = 42;
	}
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
	if (known) {
		find_image(v, &a);
		find_tables(v, &a);
	}
}
