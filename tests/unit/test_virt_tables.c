// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Page tables of every form that x86_64 and arm64 kernels have: page sizes, numbers of levels,
 * virtual and physical addresses of 52 bits, and kernels with fewer bits than they were built for.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/virt.h"
#include "helper.h"
#include "made_core.h"

enum { LEVELS = 5 };

/* Where physical addresses of 52 bits are. */
enum wide { NONE, LPA, LPA2 };

/* Written down from the manuals, not computed as virt.c does. */
static const struct kernel {
	const char *info;
	uint16_t machine;
	uint32_t page;
	unsigned bits;			/* that translate kernel addresses; the upper half of x86_64 */
	unsigned shifts[LEVELS + 1];	/* log2 of what an entry translates, from the root on */
	unsigned blocks[3];		/* of these, those where entries may be blocks */
	unsigned root_entries;
	enum wide wide;
} kernels[] = {
	{ "PAGESIZE=4096\nNUMBER(VA_BITS)=39\nNUMBER(TCR_EL1_T1SZ)=0x19\n", EM_AARCH64, 4096, 39,
	  { 30, 21, 12 }, { 30, 21 }, 512, NONE },
	{ "PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0x10\n", EM_AARCH64, 4096, 48,
	  { 39, 30, 21, 12 }, { 30, 21 }, 512, NONE },
	{ "PAGESIZE=4096\nNUMBER(VA_BITS)=52\nNUMBER(TCR_EL1_T1SZ)=0xc\n", EM_AARCH64, 4096, 52,
	  { 48, 39, 30, 21, 12 }, { 30, 21 }, 16, LPA2 },
	{ "PAGESIZE=16384\nNUMBER(VA_BITS)=36\nNUMBER(TCR_EL1_T1SZ)=0x1c\n", EM_AARCH64, 16384, 36,
	  { 25, 14 }, { 25 }, 2048, NONE },
	{ "PAGESIZE=16384\nNUMBER(VA_BITS)=47\nNUMBER(TCR_EL1_T1SZ)=0x11\n", EM_AARCH64, 16384, 47,
	  { 36, 25, 14 }, { 25 }, 2048, NONE },
	{ "PAGESIZE=16384\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0x10\n", EM_AARCH64, 16384, 48,
	  { 47, 36, 25, 14 }, { 25 }, 2, NONE },
	{ "PAGESIZE=16384\nNUMBER(VA_BITS)=52\nNUMBER(TCR_EL1_T1SZ)=0xc\n", EM_AARCH64, 16384, 52,
	  { 47, 36, 25, 14 }, { 25 }, 32, LPA2 },
	{ "PAGESIZE=65536\nNUMBER(VA_BITS)=42\nNUMBER(TCR_EL1_T1SZ)=0x16\n", EM_AARCH64, 65536, 42,
	  { 29, 16 }, { 29 }, 8192, LPA },
	{ "PAGESIZE=65536\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0x10\n", EM_AARCH64, 65536, 48,
	  { 42, 29, 16 }, { 29 }, 64, LPA },
	{ "PAGESIZE=65536\nNUMBER(VA_BITS)=52\nNUMBER(TCR_EL1_T1SZ)=0xc\n", EM_AARCH64, 65536, 52,
	  { 42, 29, 16 }, { 29 }, 1024, LPA },
	/* Before 5.9, without TCR_EL1_T1SZ. */
	{ "PAGESIZE=4096\nNUMBER(VA_BITS)=48\n", EM_AARCH64, 4096, 48,
	  { 39, 30, 21, 12 }, { 30, 21 }, 512, NONE },
	/* Kernels for 52 bits on machines with 48, where pages of 16 KiB leave 47. */
	{ "PAGESIZE=4096\nNUMBER(VA_BITS)=52\nNUMBER(TCR_EL1_T1SZ)=0x10\n", EM_AARCH64, 4096, 48,
	  { 39, 30, 21, 12 }, { 30, 21 }, 512, NONE },
	{ "PAGESIZE=16384\nNUMBER(VA_BITS)=52\nNUMBER(TCR_EL1_T1SZ)=0x11\n", EM_AARCH64, 16384, 47,
	  { 36, 25, 14 }, { 25 }, 2048, NONE },
	/* With pages of 64 KiB, the entries are where a machine with 52 bits has them. */
	{ "PAGESIZE=65536\nNUMBER(VA_BITS)=52\nNUMBER(TCR_EL1_T1SZ)=0x10\n", EM_AARCH64, 65536, 48,
	  { 42, 29, 16 }, { 29 }, 1024, LPA },
	{ "PAGESIZE=4096\nNUMBER(phys_base)=1073741824\nNUMBER(pgtable_l5_enabled)=0\n", EM_X86_64,
	  4096, 47, { 39, 30, 21, 12 }, { 30, 21 }, 512, NONE },
	{ "PAGESIZE=4096\nNUMBER(phys_base)=1073741824\nNUMBER(pgtable_l5_enabled)=1\n", EM_X86_64,
	  4096, 56, { 48, 39, 30, 21, 12 }, { 30, 21 }, 512, NONE },
};

/* Memory begins here, with the image, in which the page after the first is the root table. */
static const uint64_t MEMORY = 0x40000000;
/* Memory with an address of 52 bits, for as many tables. */
static const uint64_t WIDE_MEMORY = 0x000d000080000000;

struct made {
	const struct kernel *k;
	char info[256];
	struct segment segments[2];
	struct made_core m;
	struct core core;
	struct vmcoreinfo vmcoreinfo;
	struct virt virt;
	uint64_t vaddr;			/* what the tables translate */
	unsigned levels;
	uint64_t tables[LEVELS];	/* physical addresses, */
	uint64_t page;			/* and that of the page */
	uint64_t reads;			/* of the core since it was opened */
	enum status (*read)(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e);
};

static enum status count_reads(void *arg, uint64_t offset, size_t len, uint8_t *dst,
			       struct error *e)
{
	struct made *made = arg;

	made->reads++;
	return made->read(&made->m, offset, len, dst, e);
}

/* All bits that are neither address nor type, such as "contiguous" and "not executable". */
static uint64_t attributes(const struct kernel *k)
{
	uint64_t shareable = (uint64_t)3 << 8;

	if (k->machine == EM_X86_64)
		return (uint64_t)0xfff << 52 | 0xf7e;
	return (uint64_t)0xfffc << 48 | 0xcfc | (k->wide == LPA2 ? 0 : shareable);
}

static uint64_t with_address(const struct kernel *k, uint64_t paddr)
{
	uint64_t low = paddr & 0x0000ffffffffffff, high = paddr >> 48;

	switch (k->wide) {
	case LPA:
		return low | high << 12;
	case LPA2:
		return low | (high & 3) << 48 | (high >> 2) << 8;
	default:
		return paddr;
	}
}

static uint64_t table_entry(const struct kernel *k, uint64_t paddr)
{
	return with_address(k, paddr) | attributes(k) | (k->machine == EM_X86_64 ? 1 : 3);
}

/* Blocks have one more attribute, below the address: PAT on x86_64, nT on arm64. */
static uint64_t block_entry(const struct kernel *k, uint64_t paddr)
{
	return with_address(k, paddr) | attributes(k) |
	       (k->machine == EM_X86_64 ? 0x1081 : 0x10001);
}

static uint64_t page_entry(const struct kernel *k, uint64_t paddr)
{
	return with_address(k, paddr) | attributes(k) | (k->machine == EM_X86_64 ? 0x81 : 3);
}

/* The same, and the kernel cannot write there. */
static uint64_t read_only_entry(const struct kernel *k, uint64_t entry)
{
	if (k->machine == EM_X86_64)
		return entry & ~(uint64_t)2;
	return (entry | 1 << 7) & ~((uint64_t)1 << 51);
}

/* The type of an entry is replaced, the rest stays. */
static uint64_t with_type(uint64_t entry, unsigned type)
{
	return (entry & ~(uint64_t)3) | type;
}

static uint64_t within(unsigned shift)
{
	return ((uint64_t)1 << shift) - 1;
}

static void set_entry(struct made *made, unsigned level, uint64_t entry)
{
	const struct kernel *k = made->k;
	uint64_t entries = level ? k->page / 8 : k->root_entries;
	uint64_t index = made->vaddr >> k->shifts[level] & (entries - 1);

	made_core_poke64(&made->m, made->segments, 2, made->tables[level] + index * 8, entry);
}

/* A core with tables that translate vaddr to a page.  wide: all but the root have 52 bits. */
static void make(struct made *made, const struct kernel *k, bool wide)
{
	/* In the upper half of the kernel's addresses, where arm64 has no direct map. */
	uint64_t image = -((uint64_t)1 << (k->bits > 48 ? 46 : k->bits - 1));
	uint64_t other = wide ? WIDE_MEMORY : MEMORY;

	*made = (struct made){ .k = k };
	if (k->machine == EM_X86_64)
		image = 0xffffffff80000000;
	snprintf(made->info, sizeof(made->info), "%sSYMBOL(swapper_pg_dir)=%" PRIx64 "\n"
		 "SYMBOL(_stext)=%" PRIx64 "\nNUMBER(kimage_voffset)=0x%" PRIx64 "\n", k->info,
		 image + k->page, image + k->page, image - MEMORY);
	for (unsigned i = 0; i < 2; i++)
		made->segments[i] = (struct segment){
			.paddr = i ? WIDE_MEMORY : MEMORY,
			.filesz = 8 * (uint64_t)k->page, .memsz = 8 * (uint64_t)k->page,
		};
	made_core_init(&made->m, made->segments, 2, k->machine, made->info, false);
	made->vaddr = -((uint64_t)1 << (k->bits > 48 ? 46 : k->bits - 1)) +
		      (0x2bcdef9876543210 & within(k->bits > 48 ? 46 : k->bits - 2));
	/* Further than the image can extend. */
	made->vaddr |= (uint64_t)1 << 33;
	while (k->shifts[made->levels])
		made->levels++;
	made->tables[0] = MEMORY + k->page;
	for (unsigned i = 1; i < made->levels; i++) {
		made->tables[i] = other + (1 + i) * (uint64_t)k->page;
		set_entry(made, i - 1, table_entry(k, made->tables[i]));
	}
	made->page = other + 7 * (uint64_t)k->page;
	set_entry(made, made->levels - 1, page_entry(k, made->page));
}

static void open_made(struct made *made)
{
	struct error e;

	ck_assert_msg(core_open(&made->core, &made->m.source, &e) == STATUS_OK, "%s", e.text);
	ck_assert_int_eq(vmcoreinfo_find(&made->core, &made->vmcoreinfo, &e), STATUS_OK);
	virt_init(&made->virt, &made->core, &made->vmcoreinfo);
	made->read = made->core.bytes.read;
	made->core.bytes.read = count_reads;
	made->core.bytes.arg = made;
}

static void free_made(struct made *made)
{
	core_close(&made->core);
	made_core_free(&made->m);
}

static void assert_translated(struct made *made, uint64_t vaddr, uint64_t paddr, uint64_t length)
{
	uint64_t got, got_length;
	struct error e;
	enum status status = virt_translate(&made->virt, vaddr, &got, &got_length, &e);

	ck_assert_msg(status == STATUS_OK, "%s", e.text);
	ck_assert_uint_eq(got, paddr);
	ck_assert_uint_eq(got_length, length);
}

static void assert_missing(struct made *made, uint64_t vaddr)
{
	uint64_t paddr, length;
	struct error e;

	ck_assert_int_eq(virt_translate(&made->virt, vaddr, &paddr, &length, &e), STATUS_MISSING);
	ck_assert_ptr_nonnull(strstr(e.text, "cannot translate kernel address"));
}

START_TEST(test_page)
{
	const struct kernel *k = &kernels[_i];
	struct made made;
	uint64_t in;

	make(&made, k, false);
	open_made(&made);
	in = made.vaddr & (k->page - 1);
	assert_translated(&made, made.vaddr, made.page + in, k->page - in);
	ck_assert_uint_eq(made.reads, made.levels);
	assert_translated(&made, made.vaddr - in, made.page, k->page);
	assert_translated(&made, made.vaddr - in + k->page - 1, made.page + k->page - 1, 1);
	/* With the tag of KASAN, and the same bits of the address as a user address. */
	if (k->machine == EM_AARCH64)
		assert_translated(&made, made.vaddr & ~((uint64_t)0xa5 << 56), made.page + in,
				  k->page - in);
	assert_missing(&made, made.vaddr & within(k->bits));
	free_made(&made);
}
END_TEST

/* Tables and page beyond 2^48. */
START_TEST(test_wide)
{
	const struct kernel *k = &kernels[_i];
	struct made made;
	uint64_t in;

	if (k->wide == NONE && k->machine == EM_AARCH64)
		return;
	make(&made, k, true);
	open_made(&made);
	in = made.vaddr & (k->page - 1);
	assert_translated(&made, made.vaddr, made.page + in, k->page - in);
	free_made(&made);
}
END_TEST

static void assert_read_only(struct made *made, uint64_t vaddr, uint64_t length)
{
	bool read_only;
	uint64_t got;
	struct error e;

	ck_assert_int_eq(page_tables_read_only(&made->virt.tables, &made->core, vaddr, &read_only, &got, &e), STATUS_OK);
	ck_assert_int_eq(read_only, length != 0);
	ck_assert(!length || got == length);
}

/* arm64 lets the hardware make a page writable that has bit 51. */
START_TEST(test_read_only)
{
	const struct kernel *k = &kernels[_i];
	struct made made;
	uint64_t in, entry;

	make(&made, k, false);
	open_made(&made);
	in = made.vaddr & (k->page - 1);
	entry = page_entry(k, made.page);
	assert_read_only(&made, made.vaddr, 0);
	set_entry(&made, made.levels - 1, read_only_entry(k, entry));
	assert_read_only(&made, made.vaddr, k->page - in);
	if (k->machine == EM_AARCH64) {
		set_entry(&made, made.levels - 1, read_only_entry(k, entry) | (uint64_t)1 << 51);
		assert_read_only(&made, made.vaddr, 0);
		set_entry(&made, made.levels - 1, read_only_entry(k, entry) & ~(uint64_t)(1 << 7));
		assert_read_only(&made, made.vaddr, 0);
	}
	/* Not mapped, and not in the core. */
	set_entry(&made, made.levels - 1, with_type(entry, 0));
	assert_read_only(&made, made.vaddr, 0);
	set_entry(&made, made.levels - 2, table_entry(k, (uint64_t)1 << 40));
	assert_read_only(&made, made.vaddr, 0);
	assert_read_only(&made, made.vaddr & within(k->bits), 0);
	free_made(&made);
}
END_TEST

static bool may_be_block(const struct kernel *k, unsigned shift)
{
	for (unsigned i = 0; i < LENGTH(k->blocks); i++)
		if (k->blocks[i] == shift)
			return true;
	return false;
}

START_TEST(test_blocks)
{
	const struct kernel *k = &kernels[_i];
	const bool wide = k->wide != NONE || k->machine == EM_X86_64;
	struct made made;

	make(&made, k, false);
	open_made(&made);
	for (unsigned i = made.levels - 1; i--; ) {
		unsigned shift = k->shifts[i];
		uint64_t block = (wide ? 0x000d654321fedcba : 0x0000654321fedcba) & ~within(shift);
		uint64_t in = made.vaddr & within(shift);

		set_entry(&made, i, block_entry(k, block));
		if (may_be_block(k, shift))
			assert_translated(&made, made.vaddr, block + in, within(shift) + 1 - in);
		else
			assert_missing(&made, made.vaddr);
	}
	free_made(&made);
}
END_TEST

/* An entry that is absent, at each level, and a page whose type is reserved. */
START_TEST(test_absent)
{
	const struct kernel *k = &kernels[_i];
	struct made made;

	make(&made, k, false);
	open_made(&made);
	for (unsigned i = 0; i < made.levels; i++) {
		bool last = i == made.levels - 1;
		uint64_t good = last ? page_entry(k, made.page) : table_entry(k, made.tables[i + 1]);

		set_entry(&made, i, 0);
		assert_missing(&made, made.vaddr);
		set_entry(&made, i, with_type(good, 0));
		assert_missing(&made, made.vaddr);
		set_entry(&made, i, with_type(good, 2));
		assert_missing(&made, made.vaddr);
		if (last && k->machine == EM_AARCH64) {
			set_entry(&made, i, with_type(good, 1));
			assert_missing(&made, made.vaddr);
		}
		set_entry(&made, i, good);
		assert_translated(&made, made.vaddr, made.page + (made.vaddr & (k->page - 1)),
				  k->page - (made.vaddr & (k->page - 1)));
	}
	free_made(&made);
}
END_TEST

/* A table that is not in the core, and one that the core has lost. */
START_TEST(test_no_table)
{
	const struct kernel *k = &kernels[_i];
	struct made made;

	make(&made, k, false);
	open_made(&made);
	for (unsigned i = 0; i + 1 < made.levels; i++) {
		set_entry(&made, i, table_entry(k, 0x7fff0000));
		assert_missing(&made, made.vaddr);
		set_entry(&made, i, table_entry(k, made.tables[i + 1]));
		made.m.missing = made.segments[0].offset + (made.tables[i + 1] - MEMORY);
		made.m.missing_length = k->page;
		assert_missing(&made, made.vaddr);
		made.m.missing_length = 0;
	}
	free_made(&made);
}
END_TEST

/* What is known to be absent is found without reading; all else as before. */
START_TEST(test_known_absent)
{
	const struct kernel *k = &kernels[_i];
	const uint64_t none = 0;
	struct page_tables_absent absent;
	struct page_tables *tables;
	uint64_t root, elsewhere;
	struct made made;
	struct error e;

	/* The other one is that of the direct map, which is not looked up. */
	if (k->root_entries == 2)
		return;
	make(&made, k, false);
	/* With another entry of the root. */
	elsewhere = made.vaddr ^ (uint64_t)1 << k->shifts[0];
	made_core_poke(&made.m, made.segments, 2, made.tables[0] +
		       (elsewhere >> k->shifts[0] & (k->root_entries - 1)) * 8, &none, sizeof(none));
	open_made(&made);
	tables = &made.virt.tables;
	assert_missing(&made, elsewhere);
	ck_assert_uint_eq(made.reads, 1);
	ck_assert_int_eq(page_tables_find_absent(&absent, tables, made.virt.core, &e), STATUS_OK);
	tables->absent = &absent;
	made.reads = 0;
	assert_missing(&made, elsewhere);
	ck_assert_uint_eq(made.reads, 0);
	assert_translated(&made, made.vaddr, made.page + (made.vaddr & (k->page - 1)),
			  k->page - (made.vaddr & (k->page - 1)));
	ck_assert_uint_eq(made.reads, made.levels);
	/* Nothing is known of a root that cannot be read. */
	root = tables->root;
	tables->root = (uint64_t)1 << 55;
	ck_assert_int_eq(page_tables_find_absent(&absent, tables, made.virt.core, &e), STATUS_OK);
	tables->root = root;
	made.reads = 0;
	assert_missing(&made, elsewhere);
	ck_assert_uint_eq(made.reads, 1);
	free_made(&made);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("virt_tables");

	tcase_add_loop_test(tcase, test_page, 0, LENGTH(kernels));
	tcase_add_loop_test(tcase, test_read_only, 0, LENGTH(kernels));
	tcase_add_loop_test(tcase, test_wide, 0, LENGTH(kernels));
	tcase_add_loop_test(tcase, test_blocks, 0, LENGTH(kernels));
	tcase_add_loop_test(tcase, test_absent, 0, LENGTH(kernels));
	tcase_add_loop_test(tcase, test_no_table, 0, LENGTH(kernels));
	tcase_add_loop_test(tcase, test_known_absent, 0, LENGTH(kernels));
	return helper_run_case("virt_tables", tcase);
}
