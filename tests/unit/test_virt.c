// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory by virtual address: image, direct map, and what holds if page tables are damaged. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "core/virt.h"
#include "helper.h"
#include "made_core.h"

enum { PAGE = 4096 };

static void open_kernel(const struct made_core *m, struct core *core, struct vmcoreinfo *info,
			struct virt *virt)
{
	struct error e;

	ck_assert_msg(core_open(core, &m->source, &e) == STATUS_OK, "%s", e.text);
	ck_assert_int_eq(vmcoreinfo_find(core, info, &e), STATUS_OK);
	virt_init(virt, core, info);
}

static void assert_bytes(const uint8_t *bytes, uint64_t paddr, size_t len)
{
	for (size_t i = 0; i < len; i++)
		ck_assert_msg(bytes[i] == made_core_byte(paddr + i), "byte %zu of %zu", i, len);
}

/* The expected physical address; 0: STATUS_MISSING. */
static uint64_t translated(const struct virt *v, uint64_t vaddr)
{
	uint64_t paddr, length;
	struct error e;
	enum status status = virt_translate(v, vaddr, &paddr, &length, &e);

	if (status) {
		ck_assert_int_eq(status, STATUS_MISSING);
		return 0;
	}
	ck_assert_uint_gt(length, 0);
	return paddr;
}

/* Page tables with four levels and pages of each size, in encrypted memory. */
START_TEST(test_x86_four_levels)
{
	enum { ROOT = 0x2000, PUD = 0x3000, PMD = 0x4000, PTE = 0x5000 };
	static const char info[] = "SYMBOL(swapper_pg_dir)=ffffffff80002000\n"
		"NUMBER(sme_mask)=140737488355328\nNUMBER(KERNEL_IMAGE_SIZE)=536870912\n";
	const uint64_t vaddr = 0xffff888000000000, secret = (uint64_t)1 << 47;
	const uint64_t entries[][2] = {
		{ ROOT + (vaddr >> 39 & 511) * 8, secret | PUD | 1 },
		{ PUD, secret | PMD | 1 },
		{ PUD + 8, secret | 0x80000000 | 0x81 },
		{ PMD, secret | PTE | 1 },
		{ PMD + 8, secret | 0x600000 | 0x81 },
		{ PMD + 16, 0 },
		{ PTE, secret | 0x7000 | 1 },
		{ PTE + 8, secret | 0x6000 | 1 },
	};
	struct segment s[] = {
		{ .vaddr = 0xffffffff80000000, .paddr = 0, .filesz = 16 * PAGE, .memsz = 16 * PAGE },
		{ .vaddr = 0xffff888000400000, .paddr = 0x20000, .filesz = PAGE, .memsz = PAGE },
	};
	uint8_t got[PAGE];
	struct vmcoreinfo i;
	struct made_core m;
	struct core core;
	struct virt virt;
	struct error e;

	made_core_init(&m, s, LENGTH(s), EM_X86_64, info, false);
	for (size_t n = 0; n < LENGTH(entries); n++)
		made_core_poke64(&m, s, LENGTH(s), entries[n][0], entries[n][1]);
	open_kernel(&m, &core, &i, &virt);
	ck_assert_uint_eq(translated(&virt, vaddr + 0x10), 0x7010);
	ck_assert_uint_eq(translated(&virt, vaddr + 0x200123), 0x600123);
	ck_assert_uint_eq(translated(&virt, vaddr + 0x40001234), 0x80001234);
	/* Not in the tables, but in a segment. */
	ck_assert_uint_eq(translated(&virt, vaddr + 0x400010), 0x20010);
	ck_assert_uint_eq(translated(&virt, vaddr + 0x401010), 0);
	/* Behind the image. */
	ck_assert_uint_eq(translated(&virt, 0xffffffff9ffff000), 0x1ffff000);
	ck_assert_uint_eq(translated(&virt, 0xffffffffa0000000), 0);
	/* From one page to another, at a lower physical address. */
	ck_assert_int_eq(virt_read(&virt, vaddr + 0xff0, 0x20, got, &e), STATUS_OK);
	assert_bytes(got, 0x7ff0, 0x10);
	assert_bytes(got + 0x10, 0x6000, 0x10);
	core_close(&core);
	made_core_free(&m);
}
END_TEST

/* By arithmetic in the image, by page tables in the direct map. */
START_TEST(test_x86)
{
	enum { ROOT = 0x2000, P4D = 0x3000, PUD = 0x4000, PMD = 0x5000 };
	static const char info[] = "SYMBOL(swapper_pg_dir)=ffffffff81002000\n"
		"NUMBER(phys_base)=-16777216\nNUMBER(pgtable_l5_enabled)=1\n";
	struct segment s = { .paddr = 0, .filesz = 16 * PAGE, .memsz = 16 * PAGE };
	const uint64_t vaddr = 0xff11000000201234;
	const uint64_t entries[][2] = {
		{ ROOT + (vaddr >> 48 & 511) * 8, P4D | 1 },
		{ P4D + (vaddr >> 39 & 511) * 8, PUD | 1 },
		{ PUD + (vaddr >> 30 & 511) * 8, PMD | 1 },
		/* A page of 2 MiB, with a bit that is not part of the address. */
		{ PMD + (vaddr >> 21 & 511) * 8, (uint64_t)1 << 63 | 0x40000000 | 0x81 },
		{ PMD + ((vaddr >> 21 & 511) + 1) * 8, 0 },
	};
	struct vmcoreinfo i;
	struct made_core m;
	struct core core;
	struct virt virt;

	made_core_init(&m, &s, 1, EM_X86_64, info, false);
	for (size_t n = 0; n < LENGTH(entries); n++)
		made_core_poke64(&m, &s, 1, entries[n][0], entries[n][1]);
	open_kernel(&m, &core, &i, &virt);
	ck_assert_uint_eq(translated(&virt, 0xffffffff81000010), 0x10);
	ck_assert_uint_eq(translated(&virt, vaddr), 0x40001234);
	ck_assert_uint_eq(translated(&virt, vaddr + 0x200000), 0);
	ck_assert_uint_eq(virt.phys_base, (uint64_t)-16777216);
	core_close(&core);
	made_core_free(&m);
}
END_TEST

/*
 * The VMCOREINFO of a kernel, an address in its direct map, one in its image, and their
 * translations.
 */
static const struct arithmetic {
	const char *info;
	uint64_t direct, at, image, image_at;
	uint16_t machine;
} arithmetic[] = {
	{ "PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(kimage_voffset)=0xffff7fffc8000000\n"
	  "NUMBER(PHYS_OFFSET)=0x40000000\nSYMBOL(_stext)=ffff800008010000\n",
	  0xffff000000001000, 0x40001000, 0xffff800008010000, 0x40010000, EM_AARCH64 },
	/* Before 5.4, the other way around. */
	{ "PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(kimage_voffset)=0xfffeffffd0000000\n"
	  "NUMBER(PHYS_OFFSET)=0x40000000\nSYMBOL(_stext)=ffff000010080000\n",
	  0xffff800000001000, 0x40001000, 0xffff000010080000, 0x40080000, EM_AARCH64 },
	/* 52 bits, on a machine with 48: the direct map has memory before its usual beginning. */
	{ "PAGESIZE=65536\nNUMBER(VA_BITS)=52\nNUMBER(kimage_voffset)=0xffff7fffc8000000\n"
	  "NUMBER(PHYS_OFFSET)=0xfff1000040000000\nSYMBOL(_stext)=ffff800008010000\n",
	  0xffff000000001000, 0x40001000, 0xffff800008010000, 0x40010000, EM_AARCH64 },
	/* 52 bits with pages of 16 KiB: the border is that of 47 bits. */
	{ "PAGESIZE=16384\nNUMBER(VA_BITS)=52\nNUMBER(kimage_voffset)=0xffffbfffc8000000\n"
	  "NUMBER(PHYS_OFFSET)=0x40000000\nSYMBOL(_stext)=ffffc00008010000\n",
	  0xfff0000000004000, 0x40004000, 0xffffc00008010000, 0x40010000, EM_AARCH64 },
	{ "PAGESIZE=16384\nNUMBER(VA_BITS)=52\nNUMBER(kimage_voffset)=0xffffbfffc8000000\n"
	  "NUMBER(PHYS_OFFSET)=0x40000000\nSYMBOL(_stext)=ffffc00008010000\n",
	  0xffffbffffffff000, 0xfc0003ffff000, 0xffffc00008010000, 0x40010000, EM_AARCH64 },
	/* VMCOREINFO has no _stext; a segment has the beginning of memory. */
	{ "PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(kimage_voffset)=0xffff7fffc8000000\n"
	  "NUMBER(PHYS_OFFSET)=0x40000000\n",
	  0xffff000000000800, 0x40000800, 0xffff800008010000, 0, EM_AARCH64 },
	/* riscv64, before 6.5: the image is at the beginning of memory; later, and with modules before it. */
	{ "NUMBER(phys_ram_base)=2147483648\nNUMBER(PAGE_OFFSET)=0xff60000000000000\n"
	  "NUMBER(MODULES_END)=0xffffffff80000000\n",
	  0xff60000000001000, 0x80001000, 0xffffffff80001000, 0x80001000, EM_RISCV },
	{ "NUMBER(phys_ram_base)=2147483648\nNUMBER(PAGE_OFFSET)=0xffffffd600000000\n"
	  "NUMBER(MODULES_END)=0xffffffff90000000\nNUMBER(va_kernel_pa_offset)=0xffffffff0fe00000\n",
	  0xffffffd600001000, 0x80001000, 0xffffffff90001000, 0x80201000, EM_RISCV },
	{ "NUMBER(phys_ram_base)=2147483648\nNUMBER(PAGE_OFFSET)=0xffffffd600000000\n",
	  0xffff000000000800, 0x40000800, 0xffffffff90001000, 0, EM_RISCV },
	/* ppc64le: the image is in the direct map, and modules are not. */
	{ "PAGESIZE=65536\nSYMBOL(_stext)=c000000000000000\n",
	  0xc000000000101000, 0x101000, 0xc008000000000000, 0, EM_PPC64 },
};

START_TEST(test_arithmetic)
{
	const struct arithmetic *a = &arithmetic[_i];
	struct segment s = { .vaddr = 0xffff000000000000, .paddr = 0x40000000, .filesz = PAGE,
			     .memsz = PAGE };
	struct vmcoreinfo i;
	struct made_core m;
	struct core core;
	struct virt virt;

	made_core_init(&m, &s, 1, a->machine, a->info, false);
	open_kernel(&m, &core, &i, &virt);
	ck_assert_uint_eq(translated(&virt, a->direct), a->at);
	ck_assert_uint_eq(translated(&virt, a->image), a->image_at);
	/* With a KASAN tag; and an address that is not a kernel address. */
	if (a->image_at && a->machine == EM_AARCH64)
		ck_assert_uint_eq(translated(&virt, a->direct & ~((uint64_t)0xf0 << 56)), a->at);
	ck_assert_uint_eq(translated(&virt, 0x400000), 0);
	core_close(&core);
	made_core_free(&m);
}
END_TEST

/*
 * An arm64 kernel with pages of 4 KiB and 48 bits.  Its image has 16 pages at IMAGE_AT; page 1 is
 * swapper_pg_dir, pages 2 to 4 are tables that lead to BEHIND, a page of a module.
 */
enum { IMAGE_AT = 0x40200000, IMAGE_BYTES = 16 * PAGE, ROOT = IMAGE_AT + PAGE, MODULE_AT = 0x40208000 };

#define IMAGE 0xffff800008200000u
#define BEHIND (IMAGE + IMAGE_BYTES)

static const char image_info[] = "PAGESIZE=4096\nNUMBER(VA_BITS)=48\n"
	"NUMBER(kimage_voffset)=0xffff7fffc8000000\nNUMBER(PHYS_OFFSET)=0x40000000\n"
	"NUMBER(TCR_EL1_T1SZ)=0x10\nSYMBOL(_stext)=ffff800008201000\n"
	"SYMBOL(swapper_pg_dir)=ffff800008201000\n";

struct image {
	struct segment segment;
	struct made_core m;
	struct core core;
	struct vmcoreinfo info;
	struct virt virt;
};

static void poke64(struct image *k, uint64_t paddr, uint64_t value)
{
	made_core_poke64(&k->m, &k->segment, 1, paddr, value);
}

/* vaddr: that of the segment, as some writer of cores sets it. */
static void make_image(struct image *k, const char *info, uint64_t vaddr)
{
	k->segment = (struct segment){
		.vaddr = vaddr, .paddr = IMAGE_AT, .filesz = 32 * PAGE, .memsz = 32 * PAGE,
	};
	if (vaddr)
		k->segment.filesz = k->segment.memsz = IMAGE_BYTES;
	made_core_init(&k->m, &k->segment, 1, EM_AARCH64, info, false);
	poke64(k, ROOT + (BEHIND >> 39 & 511) * 8, (ROOT + PAGE) | 3);
	poke64(k, ROOT + PAGE + (BEHIND >> 30 & 511) * 8, (ROOT + 2 * PAGE) | 3);
	poke64(k, ROOT + 2 * PAGE + (BEHIND >> 21 & 511) * 8, (ROOT + 3 * PAGE) | 3);
	memset(k->m.bytes + k->segment.offset + 4 * PAGE, 0, PAGE);
	poke64(k, ROOT + 3 * PAGE + (BEHIND >> 12 & 511) * 8, MODULE_AT | 3);
	open_kernel(&k->m, &k->core, &k->info, &k->virt);
}

static void free_image(struct image *k)
{
	core_close(&k->core);
	made_core_free(&k->m);
}

/* The segment shows where the image ends: its tables are not read, those of the module are. */
START_TEST(test_image_segment)
{
	struct image k;
	uint64_t paddr, length;
	struct error e;

	make_image(&k, image_info, IMAGE);
	ck_assert_uint_eq(translated(&k.virt, BEHIND + 0x123), MODULE_AT + 0x123);
	ck_assert_uint_eq(translated(&k.virt, BEHIND + PAGE), 0);
	poke64(&k, ROOT + (BEHIND >> 39 & 511) * 8, 0);
	ck_assert_int_eq(virt_translate(&k.virt, IMAGE + 0x1010, &paddr, &length, &e), STATUS_OK);
	ck_assert_uint_eq(paddr, IMAGE_AT + 0x1010);
	ck_assert_uint_eq(length, IMAGE_BYTES - 0x1010);
	ck_assert_uint_eq(translated(&k.virt, BEHIND), 0);
	free_image(&k);
}
END_TEST

/* No segment shows it: the tables come first, and if they are damaged, the image is assumed. */
START_TEST(test_image_assumed)
{
	static const uint64_t vaddr[] = { 0, IMAGE + 0x200000, IMAGE - 0x8000 };
	const uint64_t most = IMAGE + ((uint64_t)128 << 20);
	uint8_t got[2 * PAGE];
	struct image k;
	struct error e;

	make_image(&k, image_info, vaddr[_i]);
	ck_assert_uint_eq(translated(&k.virt, BEHIND), MODULE_AT);
	ck_assert_uint_eq(translated(&k.virt, IMAGE + 0x1010), IMAGE_AT + 0x1010);
	poke64(&k, ROOT + (BEHIND >> 39 & 511) * 8, 0);
	ck_assert_int_eq(virt_read(&k.virt, IMAGE + 0x8010, sizeof(got), got, &e), STATUS_OK);
	assert_bytes(got, IMAGE_AT + 0x8010, sizeof(got));
	/* Before the image, and before the segment. */
	ck_assert_uint_eq(translated(&k.virt, min_u64(IMAGE, vaddr[_i] ? vaddr[_i] : IMAGE) - 1), 0);
	ck_assert_uint_eq(translated(&k.virt, most - 1), IMAGE_AT + ((uint64_t)128 << 20) - 1);
	ck_assert_uint_eq(translated(&k.virt, most), 0);
	free_image(&k);
}
END_TEST

/* Numbers that no kernel has: the page tables are not used, and without its bits the direct map neither; the image is. */
static const char *const invalid[] = {
	"PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0xf\n",
	"PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0x1d\n",
	"PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0\n",
	"PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0x40\n",
	"PAGESIZE=4096\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0xffffffffffffffff\n",
	"PAGESIZE=8192\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0x10\n",
	"PAGESIZE=32768\nNUMBER(VA_BITS)=48\nNUMBER(TCR_EL1_T1SZ)=0x10\n",
	"NUMBER(VA_BITS)=0\n", "NUMBER(VA_BITS)=35\n", "NUMBER(VA_BITS)=53\n", "NUMBER(VA_BITS)=64\n",
	"NUMBER(VA_BITS)=-48\n", "NUMBER(VA_BITS)=18446744073709551615\n",
};

START_TEST(test_invalid_numbers)
{
	bool has_bits = invalid[_i][0] == 'P';
	struct image k;
	char info[512];

	snprintf(info, sizeof(info), "%s%s", invalid[_i], image_info);
	make_image(&k, info, IMAGE);
	ck_assert_uint_eq(k.virt.tables.levels, 0);
	ck_assert_int_eq(k.virt.linear[0].length != 0, has_bits);
	ck_assert_uint_eq(translated(&k.virt, BEHIND), 0);
	ck_assert_uint_eq(translated(&k.virt, IMAGE + 0x10), IMAGE_AT + 0x10);
	ck_assert_uint_eq(translated(&k.virt, 0xffff000000001000), has_bits ? 0x40001000 : 0);
	free_image(&k);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("virt");

	tcase_add_test(tcase, test_x86);
	tcase_add_test(tcase, test_x86_four_levels);
	tcase_add_loop_test(tcase, test_arithmetic, 0, LENGTH(arithmetic));
	tcase_add_test(tcase, test_image_segment);
	tcase_add_loop_test(tcase, test_image_assumed, 0, 3);
	tcase_add_loop_test(tcase, test_invalid_numbers, 0, LENGTH(invalid));
	return helper_run_case("virt", tcase);
}
