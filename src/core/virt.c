// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "core/virt.h"

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
				  bool *read_only, uint64_t *length, struct error *e)
{
	struct leaf leaf;
	enum status status = find_leaf(tables, core, vaddr, &leaf, e);
	uint64_t most = (uint64_t)1 << (status ? tables->page_shift : leaf.shift);

	*read_only = !status && tables->read_only(leaf.entry);
	*length = most - (vaddr & (most - 1));
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
	uint64_t length = (uint64_t)1 << (tables->page_shift + level * (tables->page_shift - 3)), latest = 0;

	for (uint64_t i = 0; i < entries; i++) {
		uint64_t entry = get_le64(piece + i * 8), from = vaddr + i * length;
		enum status status;

		/* x86_64 has thousands of entries in a row that lead to the same table of stacks (espfix). */
		if (!entry || from + (length - 1) < visit->first || (level && entry == latest))
			continue;
		if (from > visit->last)
			break;
		latest = entry;
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

/* --- x86_64 -------------------------------------------------------------- */

/* NUMBER(NAME) in VMCOREINFO, or another value if it has none. */
static uint64_t number_or(const struct virt *v, const char *name, uint64_t otherwise)
{
	uint64_t value;

	return vmcoreinfo_get(v->info, "NUMBER", name, &value) ? value : otherwise;
}

/* arch/x86/include/asm/page_64_types.h */
static const uint64_t START_KERNEL_MAP = 0xffffffff80000000;
static const uint64_t KERNEL_IMAGE_SIZE = (uint64_t)1 << 30;

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

/*
 * Intel SDM, volume 3A, 4.5: bit 0 is "present", bit 7 "page size", which at the last level selects
 * memory types.  Pages are 4 KiB, 2 MiB or 1 GiB; above, bit 7 is reserved.
 */
static enum page_entry x86_entry_kind(uint64_t entry, unsigned shift, bool last_level)
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
static bool x86_is_read_only(uint64_t entry)
{
	return !(entry & 2);
}

/* The kernel has the upper half of the root table: 256 entries of 8 bytes. */
static void x86_find_tables(struct virt *v)
{
	const uint64_t upper_half = 256 * 8;
	bool five = number_or(v, "pgtable_l5_enabled", 0);
	uint64_t root;

	if (!vmcoreinfo_get(v->info, "SYMBOL", "swapper_pg_dir", &root) &&
	    !vmcoreinfo_get(v->info, "SYMBOL", "init_top_pgt", &root))
		return;
	v->tables = (struct page_tables){
		.first = five ? -((uint64_t)1 << 56) : -((uint64_t)1 << 47),
		.root = root - START_KERNEL_MAP + v->phys_base + upper_half,
		.levels = five ? 5 : 4,
		.page_shift = 12,
		.address = 0x000ffffffffff000 & ~number_or(v, "sme_mask", 0),
		.kind = x86_entry_kind,
		.read_only = x86_is_read_only,
	};
}

static void x86_init(struct virt *v)
{
	uint64_t size = number_or(v, "KERNEL_IMAGE_SIZE", KERNEL_IMAGE_SIZE);

	v->phys_base = x86_phys_base(v);
	/* The image is followed by modules and the fixmap. */
	v->linear[0] = (struct virt_linear){
		.vaddr = START_KERNEL_MAP,
		.paddr = v->phys_base,
		.length = min_u64(size, -START_KERNEL_MAP),
	};
	x86_find_tables(v);
}

/* --- arm64 --------------------------------------------------------------- */

/*
 * arm64 has three page sizes, and a kernel has 36 to 52 bits of virtual addresses.  VA_BITS is what
 * it was built for.  A kernel built for 52 bits uses 48 (with pages of 16 KiB: 47) on a machine that
 * has no more; TCR_EL1_T1SZ, exported since 5.9, says which.
 */

enum { VA_BITS_LEAST = 36, VA_BITS_MOST = 52 };

/* The image is placed at a multiple of this, and _stext follows its header. */
static const uint64_t IMAGE_UNIT = (uint64_t)2 << 20;
/* VMCOREINFO does not say where the image ends.  Debian's have 27 MiB (5.10) to 51 MiB (7.3). */
static const uint64_t IMAGE_LENGTH = (uint64_t)128 << 20;

/* What VMCOREINFO says; 0: nothing. */
struct arm64 {
	unsigned va_bits, page_shift;
	uint64_t stext, kimage_voffset;
};

static struct arm64 arm64_read(const struct virt *v)
{
	uint64_t bits = number_or(v, "VA_BITS", 0);
	struct arm64 a = { 0 };
	struct error ignored;
	uint32_t page;

	if (bits < VA_BITS_LEAST || bits > VA_BITS_MOST || vmcoreinfo_page_size(v->info, &page, &ignored))
		return a;
	a.va_bits = (unsigned)bits;
	a.page_shift = (unsigned)__builtin_ctz(page);
	a.kimage_voffset = number_or(v, "kimage_voffset", 0);
	if (!vmcoreinfo_get(v->info, "SYMBOL", "_stext", &a.stext))
		a.stext = 0;
	return a;
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
	uint64_t middle, begin = -((uint64_t)1 << a->va_bits);

	if (!a->stext)
		return (struct virt_linear){ 0 };
	middle = -((uint64_t)1 << (least - 1));
	if (a->stext > middle)
		return (struct virt_linear){ .vaddr = begin, .length = middle - begin };
	begin = -((uint64_t)1 << (a->va_bits - 1));
	return (struct virt_linear){ .vaddr = begin, .length = -begin };
}

/* Without PHYS_OFFSET, the first segment in the direct map determines it. */
static void set_direct_map(struct virt *v, struct virt_linear direct)
{
	if (!vmcoreinfo_get(v->info, "NUMBER", "PHYS_OFFSET", &direct.paddr)) {
		const struct segment *s = v->core->segments, *end = s + v->core->segments_count;

		while (s < end && s->vaddr - direct.vaddr >= direct.length)
			s++;
		if (s == end)
			return;
		direct.paddr = s->paddr - (s->vaddr - direct.vaddr);
	}
	v->phys_base = direct.paddr;
	v->linear[0] = direct;
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

	if (!a->stext || !a->kimage_voffset)
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
static enum page_entry arm64_entry_kind(uint64_t entry, unsigned shift, bool last_level)
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
static bool arm64_is_read_only(uint64_t entry)
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
	uint64_t t1sz = number_or(v, "TCR_EL1_T1SZ", 64 - a->va_bits);

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
static void arm64_find_tables(struct virt *v, const struct arm64 *a)
{
	unsigned bits = table_bits(v, a);
	const uint64_t in_place = ((uint64_t)1 << (bits == 52 && a->page_shift < 16 ? 50 : 48)) - 1;
	uint64_t root;

	/* VMCOREINFO could also name pages of 8 or 32 KiB, which arm64 does not have. */
	if (!bits || !a->kimage_voffset || a->page_shift == 13 || a->page_shift == 15 ||
	    !vmcoreinfo_get(v->info, "SYMBOL", "swapper_pg_dir", &root))
		return;
	v->tables = (struct page_tables){
		.first = -((uint64_t)1 << bits),
		.root = root - a->kimage_voffset,
		/* ARM64_HW_PGTABLE_LEVELS() in arch/arm64/include/asm/pgtable-hwdef.h */
		.levels = (bits - 4) / (a->page_shift - 3),
		.page_shift = a->page_shift,
		.address = in_place & -((uint64_t)1 << a->page_shift),
		.kind = arm64_entry_kind,
		.read_only = arm64_is_read_only,
	};
	if (a->page_shift == 16) {
		v->tables.high = 0xf000;
		v->tables.high_shift = 36;
	} else if (bits == 52) {
		v->tables.high = 0x300;
		v->tables.high_shift = 42;
	}
}

static void arm64_init(struct virt *v)
{
	const struct arm64 a = arm64_read(v);

	/* The upper 8 bits may hold a tag (KASAN); in kernel addresses they are ones. */
	v->kernel_bit = (uint64_t)1 << 55;
	v->tag = (uint64_t)0xff << 56;
	set_direct_map(v, direct_map(&a));
	find_image(v, &a);
	arm64_find_tables(v, &a);
}

/* --- others: no page tables ---------------------------------------------- */

/* Modules end where the image begins.  Until 6.4, that was at the beginning of memory. */
static void riscv_init(struct virt *v)
{
	uint64_t direct, image;

	/* The default of makedumpfile for kernels without phys_ram_base. */
	v->phys_base = number_or(v, "phys_ram_base", 0x80200000);
	if (!vmcoreinfo_get(v->info, "NUMBER", "PAGE_OFFSET", &direct) ||
	    !vmcoreinfo_get(v->info, "NUMBER", "MODULES_END", &image))
		return;
	v->linear[0] = (struct virt_linear){ direct, v->phys_base, image - direct };
	v->linear[1] = (struct virt_linear){
		image, image - number_or(v, "va_kernel_pa_offset", image - v->phys_base), -image
	};
}

/* --- addresses ----------------------------------------------------------- */

void virt_init(struct virt *v, const struct core *core, const struct vmcoreinfo *info)
{
	*v = (struct virt){ .core = core, .info = info };
	switch (core->machine) {
	case EM_X86_64:
		x86_init(v);
		break;
	case EM_AARCH64:
		arm64_init(v);
		break;
	case EM_RISCV:
		riscv_init(v);
		break;
	case EM_PPC64:
		/* arch/powerpc: vmalloc() and modules are behind this. */
		v->linear[0] = (struct virt_linear){ 0xc000000000000000, 0, (uint64_t)1 << 51 };
		break;
	}
}

static bool by_linear(const struct virt_linear *l, uint64_t vaddr, uint64_t *paddr, uint64_t *length)
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

bool virt_confirms(const struct virt *v, uint64_t vaddr, uint64_t paddr)
{
	uint64_t found, length;
	struct error ignored;

	return (!page_tables_walk(&v->tables, v->core, vaddr, &found, &length, &ignored) ||
		by_linear(&v->linear[1], vaddr, &found, &length)) && found == paddr;
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

enum status virt_read_near(const struct virt *v, struct virt_linear *near, uint64_t vaddr, size_t len, uint8_t *dst,
			   struct error *e)
{
	while (len) {
		uint64_t paddr, some;
		enum status status = STATUS_OK;

		if (!by_linear(near, vaddr, &paddr, &some)) {
			status = virt_translate(v, vaddr, &paddr, &some, e);
			*near = (struct virt_linear){ vaddr, paddr, status ? 0 : some };
		}
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

enum status virt_read(const struct virt *v, uint64_t vaddr, size_t len, uint8_t *dst, struct error *e)
{
	struct virt_linear none = { 0 };

	return virt_read_near(v, &none, vaddr, len, dst, e);
}
