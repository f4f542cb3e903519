/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first two pages of a fake vmcore, which depend only on its size: an ELF64 core like
 * /proc/vmcore of an x86_64 machine.  The first page holds the headers, the second the notes;
 * memory begins with the third.  These pages replace the pattern (pattern.h).  Like the pattern,
 * they are shared by the kernel module and mkfakevmcore.
 *
 * The machine has memory where a PC has it: below 640 KiB, from 1 MiB to the hole for devices,
 * and above 4 GiB, as much as the size requires.  Virtual addresses are those of a kernel with
 * five-level page tables, whose direct map is large enough for any size allowed here.
 */
#ifndef FAKEVMCORE_ELFHEAD_H
#define FAKEVMCORE_ELFHEAD_H

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif

#include "le.h"

#define ELFHEAD_PAGE 4096u
#define ELFHEAD_SIZE (2 * ELFHEAD_PAGE)
#define ELFHEAD_RANGES 3

/* Limits of the file size: one byte of memory; half of a 52-bit address space. */
#define ELFHEAD_FILE_MIN (ELFHEAD_SIZE + 1ULL)
#define ELFHEAD_FILE_MAX (1ULL << 51)

#define ELFHEAD_DIRECT_MAP 0xff11000000000000ULL

struct elfhead_range {
	uint64_t address;	/* physical, of the first byte */
	uint64_t length;	/* bytes, not 0 */
};

/* Returns why a fake vmcore cannot have this size, as one sentence; NULL if it can. */
static inline const char *elfhead_problem(uint64_t file_size)
{
	if (file_size < ELFHEAD_FILE_MIN)
		return "the size must be at least 8193: two pages of headers and a byte";
	if (file_size > ELFHEAD_FILE_MAX)
		return "the size must be at most 2 PiB";
	return NULL;
}

/* Sets the memory ranges of the machine, in file order; returns their number. */
static inline unsigned int elfhead_ranges(uint64_t file_size,
					  struct elfhead_range ranges[ELFHEAD_RANGES])
{
	static const struct elfhead_range machine[ELFHEAD_RANGES] = {
		{ 0x1000, 0x9e000 },
		{ 0x100000, 0xb0000000 - 0x100000 },
		{ 0x100000000ULL, ~0ULL },
	};
	uint64_t left = file_size - ELFHEAD_SIZE;
	unsigned int n;

	for (n = 0; n < ELFHEAD_RANGES && left; n++) {
		ranges[n] = machine[n];
		if (ranges[n].length > left)
			ranges[n].length = left;
		left -= ranges[n].length;
	}
	return n;
}

/* Writes one Elf64_Phdr; a note segment has no address, and its flags are 0. */
static inline void elfhead_segment(uint8_t *dst, uint32_t type, uint64_t offset,
				   const struct elfhead_range *range)
{
	int load = range->address != 0;

	le_put32(dst, type);
	le_put32(dst + 4, load ? 7 : 0);
	le_put64(dst + 8, offset);
	le_put64(dst + 16, load ? ELFHEAD_DIRECT_MAP + range->address : 0);
	le_put64(dst + 24, range->address);
	le_put64(dst + 32, range->length);
	le_put64(dst + 40, range->length);
	le_put64(dst + 48, load ? ELFHEAD_PAGE : 4);
}

static inline void elfhead_header(uint8_t *dst, unsigned int segments)
{
	static const uint8_t ident[] = {
		0x7f, 'E', 'L', 'F', 2 /* 64 bits */, 1 /* little endian */, 1,
	};

	memcpy(dst, ident, sizeof(ident));
	le_put16(dst + 16, 4);		/* e_type: ET_CORE */
	le_put16(dst + 18, 62);		/* e_machine: EM_X86_64 */
	le_put32(dst + 20, 1);		/* e_version */
	le_put64(dst + 32, 64);		/* e_phoff */
	le_put16(dst + 52, 64);		/* e_ehsize */
	le_put16(dst + 54, 56);		/* e_phentsize */
	le_put16(dst + 56, (uint16_t)segments);
}

/* Writes a note, name and contents padded to 4 bytes each as in Linux; returns its length. */
static inline uint32_t elfhead_note(uint8_t *dst, uint32_t type, const char *name,
				    uint32_t name_size, const void *content, uint32_t size)
{
	uint32_t start = 12 + ((name_size + 3) & ~3u);

	le_put32(dst, name_size);
	le_put32(dst + 4, size);
	le_put32(dst + 8, type);
	memcpy(dst + 12, name, name_size);
	memcpy(dst + start, content, size);
	return start + ((size + 3) & ~3u);
}

/* Writes a struct elf_prstatus of x86_64: the only CPU, stopped in the kernel. */
static inline uint32_t elfhead_prstatus(uint8_t *dst)
{
	uint8_t status[336];
	uint8_t *registers = status + 112;

	memset(status, 0, sizeof(status));
	le_put32(status + 32, 1);				/* pr_pid */
	le_put64(registers + 16 * 8, 0xffffffff81000100ULL);	/* rip */
	le_put64(registers + 17 * 8, 0x10);			/* cs */
	le_put64(registers + 18 * 8, 0x46);			/* eflags */
	le_put64(registers + 19 * 8, 0xffffffff82003e00ULL);	/* rsp */
	le_put64(registers + 20 * 8, 0x18);			/* ss */
	return elfhead_note(dst, 1, "CORE", 5, status, sizeof(status));
}

/* The keys that a collector reads.  The time is fixed, so that the file is reproducible. */
static inline uint32_t elfhead_vmcoreinfo(uint8_t *dst)
{
	static const char info[] =
		"OSRELEASE=6.1.0-fakevmcore\n"
		"PAGESIZE=4096\n"
		"SYMBOL(_stext)=ffffffff81000000\n"
		"SYMBOL(swapper_pg_dir)=ffffffff82010000\n"
		"NUMBER(SECTION_SIZE_BITS)=27\n"
		"NUMBER(MAX_PHYSMEM_BITS)=52\n"
		"SIZE(page)=64\n"
		"NUMBER(phys_base)=0\n"
		"NUMBER(pgtable_l5_enabled)=1\n"
		"KERNELOFFSET=0\n"
		"NUMBER(KERNEL_IMAGE_SIZE)=1073741824\n"
		"NUMBER(sme_mask)=0\n"
		"CRASHTIME=1000000000\n";

	return elfhead_note(dst, 0, "VMCOREINFO", 11, info, sizeof(info) - 1);
}

/* Fills dst, ELFHEAD_SIZE bytes; file_size must have no elfhead_problem(). */
static inline void elfhead_build(uint64_t file_size, uint8_t *dst)
{
	struct elfhead_range ranges[ELFHEAD_RANGES];
	struct elfhead_range notes = { 0, 0 };
	unsigned int i, n = elfhead_ranges(file_size, ranges);
	uint64_t offset = ELFHEAD_SIZE;

	memset(dst, 0, ELFHEAD_SIZE);
	notes.length = elfhead_prstatus(dst + ELFHEAD_PAGE);
	notes.length += elfhead_vmcoreinfo(dst + ELFHEAD_PAGE + notes.length);

	elfhead_header(dst, n + 1);
	elfhead_segment(dst + 64, 4 /* PT_NOTE */, ELFHEAD_PAGE, &notes);
	for (i = 0; i < n; i++) {
		elfhead_segment(dst + 64 + (i + 1) * 56, 1 /* PT_LOAD */, offset,
				&ranges[i]);
		offset += ranges[i].length;
	}
}

#endif
