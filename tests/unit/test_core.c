// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF cores: their headers, notes, and memory by its addresses. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/virt.h"
#include "helper.h"
#include "made_core.h"

enum { PAGE = 4096 };

#define INFO "OSRELEASE=6.1.0\nPAGESIZE=4096\nSYMBOL(prb)=ffffffff81000010\n" \
	"NUMBER(phys_base)=-4096\nNUMBER(kimage_voffset)=0xffff800000000000\nSIZE(page)=64\n"

static void assert_open(struct core *core, const struct made_core *m)
{
	struct error e;

	ck_assert_msg(core_open(core, &m->source, &e) == STATUS_OK, "%s", e.text);
}

static void assert_refused(const struct made_core *m, enum status status, const char *text)
{
	struct core core;
	struct error e;

	ck_assert_int_eq(core_open(&core, &m->source, &e), status);
	ck_assert_str_eq(e.text, text);
	core_close(&core);
}

START_TEST(test_segments)
{
	struct segment s[] = {
		{ .vaddr = 0xffffffff81000000, .paddr = 0x100000, .filesz = 2 * PAGE, .memsz = 2 * PAGE },
		{ .vaddr = 0xffff888000001000, .paddr = 0x1000, .filesz = PAGE, .memsz = 3 * PAGE },
	};
	struct made_core m;
	struct core core;

	made_core_init(&m, s, LENGTH(s), EM_X86_64, INFO, _i);
	assert_open(&core, &m);
	ck_assert_uint_eq(core.machine, EM_X86_64);
	ck_assert_uint_eq(core.segments_count, 2);
	ck_assert_mem_eq(core.segments, s, sizeof(s));
	core_close(&core);
	made_core_free(&m);
}
END_TEST

START_TEST(test_refused)
{
	struct segment s = { .paddr = 0x1000, .filesz = PAGE, .memsz = PAGE };
	const char *no = "the source is no core of a kind that is known here: ";
	struct made_core m;
	Elf64_Ehdr *h, good;
	Elf64_Phdr *p;
	char text[128];

	made_core_init(&m, &s, 1, EM_X86_64, INFO, false);
	h = (Elf64_Ehdr *)m.bytes;
	p = (Elf64_Phdr *)(h + 1);
	good = *h;
	m.source.size = 10;
	snprintf(text, sizeof(text), "%sit is no ELF file", no);
	assert_refused(&m, STATUS_USAGE, text);
	m.source.size = m.size;
	h->e_ident[0] = 'k';
	assert_refused(&m, STATUS_USAGE, text);
	*h = good;
	h->e_ident[EI_CLASS] = ELFCLASS32;
	snprintf(text, sizeof(text), "%sit is a 32-bit ELF file", no);
	assert_refused(&m, STATUS_USAGE, text);
	*h = good;
	h->e_ident[EI_DATA] = ELFDATA2MSB;
	snprintf(text, sizeof(text), "%sit is big-endian", no);
	assert_refused(&m, STATUS_USAGE, text);
	*h = good;
	h->e_type = ET_DYN;
	snprintf(text, sizeof(text), "%sit is an ELF file, but no core", no);
	assert_refused(&m, STATUS_USAGE, text);
	*h = good;
	h->e_phoff = m.size - 8;
	snprintf(text, sizeof(text), "the source's program headers end behind its %zu bytes", m.size);
	assert_refused(&m, STATUS_DAMAGED, text);
	h->e_phoff = UINT64_MAX - 8;
	assert_refused(&m, STATUS_DAMAGED, text);
	*h = good;
	h->e_phnum = 0;
	assert_refused(&m, STATUS_DAMAGED, "the source's ELF header: no program headers");
	h->e_phnum = 1;
	assert_refused(&m, STATUS_DAMAGED, "the source's ELF header: no memory in it");
	*h = good;
	p[1].p_paddr = UINT64_MAX - PAGE;
	assert_refused(&m, STATUS_DAMAGED,
		       "the source's ELF header: a segment goes beyond the last address");
	p[1].p_paddr = 0x1000;
	p[0].p_filesz = UINT64_MAX;
	assert_refused(&m, STATUS_DAMAGED,
		       "the source's ELF header: more notes than any machine has");
	made_core_free(&m);
}
END_TEST

START_TEST(test_vmcoreinfo)
{
	struct segment s = { .paddr = 0x1000, .filesz = PAGE, .memsz = PAGE };
	struct vmcoreinfo info;
	struct made_core m;
	struct core core;
	struct error e;
	uint64_t value;
	uint32_t page;
	char text[8];

	made_core_init(&m, &s, 1, EM_X86_64, INFO, false);
	assert_open(&core, &m);
	ck_assert_int_eq(vmcoreinfo_find(&core, &info, &e), STATUS_OK);
	ck_assert(vmcoreinfo_text(&info, "OSRELEASE", text, sizeof(text)));
	ck_assert_str_eq(text, "6.1.0");
	ck_assert(!vmcoreinfo_text(&info, "OSRELEASE", text, 5));
	ck_assert(!vmcoreinfo_text(&info, "RELEASE", text, sizeof(text)));
	ck_assert(vmcoreinfo_get(&info, "SYMBOL", "prb", &value));
	ck_assert_uint_eq(value, 0xffffffff81000010);
	ck_assert(vmcoreinfo_get(&info, "NUMBER", "phys_base", &value));
	ck_assert_uint_eq(value, (uint64_t)-4096);
	ck_assert(vmcoreinfo_get(&info, "NUMBER", "kimage_voffset", &value));
	ck_assert_uint_eq(value, 0xffff800000000000);
	ck_assert(vmcoreinfo_get(&info, "SIZE", "page", &value));
	ck_assert_uint_eq(value, 64);
	ck_assert(!vmcoreinfo_get(&info, "SIZE", "list_head", &value));
	ck_assert_int_eq(vmcoreinfo_page_size(&info, &page, &e), STATUS_OK);
	ck_assert_uint_eq(page, 4096);
	core_close(&core);
	made_core_free(&m);

	made_core_init(&m, &s, 1, EM_X86_64, NULL, false);
	assert_open(&core, &m);
	ck_assert_int_eq(vmcoreinfo_find(&core, &info, &e), STATUS_USAGE);
	core_close(&core);
	made_core_free(&m);
}
END_TEST

/* A note whose sizes lead out of the notes ends them. */
START_TEST(test_hostile_notes)
{
	struct segment s = { .paddr = 0x1000, .filesz = PAGE, .memsz = PAGE };
	struct made_core m;
	struct core core;
	struct note note;
	size_t at = 0;

	made_core_init(&m, &s, 1, EM_X86_64, INFO, false);
	assert_open(&core, &m);
	ck_assert(core_next_note(&core, &at, &note));
	ck_assert(note_is_of(&note, "CORE") && note.type == NT_PRSTATUS);
	((Elf64_Nhdr *)(core.notes + at))->n_namesz = UINT32_MAX;
	ck_assert(!core_next_note(&core, &at, &note));
	((Elf64_Nhdr *)(core.notes + at))->n_namesz = 11;
	((Elf64_Nhdr *)(core.notes + at))->n_descsz = UINT32_MAX;
	ck_assert(!core_next_note(&core, &at, &note));
	core_close(&core);
	made_core_free(&m);
}
END_TEST

static void assert_bytes(const uint8_t *bytes, uint64_t paddr, size_t len)
{
	for (size_t i = 0; i < len; i++)
		ck_assert_msg(bytes[i] == made_core_byte(paddr + i), "byte %zu of %zu", i, len);
}

START_TEST(test_memory)
{
	static uint8_t got[4 * PAGE];
	static const uint8_t zeros[PAGE];
	struct segment s[] = {
		{ .paddr = 0x3000, .filesz = PAGE, .memsz = 2 * PAGE },
		{ .paddr = 0x2000, .filesz = 3 * PAGE, .memsz = 3 * PAGE },
		{ .paddr = 0x9800, .filesz = 0x400, .memsz = 0x400 },
	};
	struct made_core m;
	struct core core;
	struct error e;

	made_core_init(&m, s, LENGTH(s), EM_X86_64, INFO, false);
	assert_open(&core, &m);
	/* Across both, and where the first has zeros but the second bytes. */
	ck_assert_int_eq(memory_read(&core, 0x2800, 0x2000, got, &e), STATUS_OK);
	assert_bytes(got, 0x2800, 0x2000);
	ck_assert_int_eq(memory_read(&core, 0x1fff, 2, got, &e), STATUS_MISSING);
	ck_assert_str_eq(e.text, "physical address 0x1fff is not in the core");
	ck_assert_int_eq(memory_read(&core, 0x4fff, 2, got, &e), STATUS_MISSING);
	ck_assert_int_eq(memory_read_page(&core, 0x9000, PAGE, got, &e), STATUS_OK);
	assert_bytes(got + 0x800, 0x9800, 0x400);
	ck_assert_mem_eq(got, zeros, 0x800);
	ck_assert_mem_eq(got + 0xc00, zeros, 0x400);
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
		/* A page of 2 MiB, with a bit that is no address. */
		{ PMD + (vaddr >> 21 & 511) * 8, (uint64_t)1 << 63 | 0x40000000 | 0x81 },
	};
	struct vmcoreinfo i;
	struct made_core m;
	struct core core;
	struct virt virt = { .core = &core, .info = &i };
	struct error e;
	uint64_t paddr;

	made_core_init(&m, &s, 1, EM_X86_64, info, false);
	for (size_t n = 0; n < LENGTH(entries); n++)
		made_core_poke(&m, &s, 1, entries[n][0], &entries[n][1], 8);
	assert_open(&core, &m);
	ck_assert_int_eq(vmcoreinfo_find(&core, &i, &e), STATUS_OK);
	ck_assert(virt_translate(&virt, 0xffffffff81000010, &paddr));
	ck_assert_uint_eq(paddr, 0x10);
	ck_assert(virt_translate(&virt, vaddr, &paddr));
	ck_assert_uint_eq(paddr, 0x40001234);
	ck_assert(!virt_translate(&virt, vaddr + 0x200000, &paddr));
	ck_assert_uint_eq(virt_phys_base(&virt), (uint64_t)-16777216);
	core_close(&core);
	made_core_free(&m);
}
END_TEST

/* Numbers of a 48-bit kernel after 5.4, and of one before it. */
START_TEST(test_arm64)
{
	static const char after[] = "PAGESIZE=4096\nNUMBER(VA_BITS)=48\n"
		"NUMBER(kimage_voffset)=0xffff7fffc8000000\nNUMBER(PHYS_OFFSET)=0x40000000\n"
		"SYMBOL(_stext)=ffff800008010000\n";
	static const char before[] = "PAGESIZE=4096\nNUMBER(VA_BITS)=48\n"
		"NUMBER(kimage_voffset)=0xfffeffffd0000000\nNUMBER(PHYS_OFFSET)=0x40000000\n"
		"SYMBOL(_stext)=ffff000010080000\n";
	struct segment s = { .paddr = 0x40000000, .filesz = PAGE, .memsz = PAGE };
	uint64_t direct = _i ? 0xffff800000001000 : 0xffff000000001000;
	uint64_t image = _i ? 0xffff000010080000 : 0xffff800008010000;
	struct vmcoreinfo i;
	struct made_core m;
	struct core core;
	struct virt virt = { .core = &core, .info = &i };
	struct error e;
	uint64_t paddr;

	made_core_init(&m, &s, 1, EM_AARCH64, _i ? before : after, false);
	assert_open(&core, &m);
	ck_assert_int_eq(vmcoreinfo_find(&core, &i, &e), STATUS_OK);
	ck_assert(virt_translate(&virt, direct, &paddr));
	ck_assert_uint_eq(paddr, 0x40001000);
	ck_assert(virt_translate(&virt, image, &paddr));
	ck_assert_uint_eq(paddr, _i ? 0x40080000 : 0x40010000);
	ck_assert_uint_eq(virt_phys_base(&virt), 0x40000000);
	core_close(&core);
	made_core_free(&m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("core");
	TCase *tcase = tcase_create("core");

	tcase_add_loop_test(tcase, test_segments, 0, 2);
	tcase_add_test(tcase, test_refused);
	tcase_add_test(tcase, test_vmcoreinfo);
	tcase_add_test(tcase, test_hostile_notes);
	tcase_add_test(tcase, test_memory);
	tcase_add_test(tcase, test_x86);
	tcase_add_loop_test(tcase, test_arm64, 0, 2);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
