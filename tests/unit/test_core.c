// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF cores: headers, notes, memory by physical address, and the names of the machine. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/uts.h"
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

/* As much of the header may be wrong as leaves no doubt that it is a core: VMCOREINFO says so, if the type does not. */
START_TEST(test_damaged_header)
{
	static const struct {
		size_t at, size;
		uint64_t value;
	} wrong[] = {
		{ 0, 1, 'k' }, { 3, 1, 0 }, { EI_CLASS, 1, ELFCLASS32 }, { EI_DATA, 1, ELFDATA2MSB }, { EI_VERSION, 1, 7 },
		{ offsetof(Elf64_Ehdr, e_type), 2, ET_DYN }, { offsetof(Elf64_Ehdr, e_type), 8, 0 },
		{ offsetof(Elf64_Ehdr, e_phentsize), 2, 32 }, { offsetof(Elf64_Ehdr, e_ehsize), 4, 0 },
		{ offsetof(Elf64_Ehdr, e_phoff), 8, UINT64_MAX - 8 }, { offsetof(Elf64_Ehdr, e_phoff), 4, 1 << 20 },
	};
	struct segment s = { .paddr = 0x1000, .filesz = PAGE, .memsz = PAGE };

	for (size_t i = 0; i < LENGTH(wrong); i++) {
		uint64_t value;
		struct made_core m;
		struct core core;
		struct error e;

		made_core_init(&m, &s, 1, EM_X86_64, INFO, false);
		value = htole64(wrong[i].value);
		memcpy(m.bytes + wrong[i].at, &value, wrong[i].size);
		ck_assert_msg(core_open(&core, &m.source, &e) == STATUS_OK, "case %zu: %s", i, e.text);
		ck_assert(!core.damage == (wrong[i].at == EI_VERSION));
		ck_assert_uint_eq(core.segments_count, 1);
		ck_assert_uint_eq(core.segments[0].paddr, 0x1000);
		core_close(&core);
		made_core_free(&m);
	}
}
END_TEST

/* Segments one behind the other say which number of one of them is wrong. */
START_TEST(test_damaged_segment)
{
	struct segment s[] = {
		{ .paddr = 0x1000, .filesz = 2 * PAGE, .memsz = 2 * PAGE },
		{ .paddr = 0x8000, .filesz = 3 * PAGE, .memsz = 3 * PAGE },
		{ .paddr = 0x20000, .filesz = PAGE, .memsz = PAGE },
	};
	static const struct {
		size_t at;
		uint64_t value;
	} wrong[] = {
		{ offsetof(Elf64_Phdr, p_offset), 1 << 20 }, { offsetof(Elf64_Phdr, p_offset), PAGE / 2 },
		{ offsetof(Elf64_Phdr, p_filesz), 4 * PAGE }, { offsetof(Elf64_Phdr, p_filesz), 1 << 30 },
		{ offsetof(Elf64_Phdr, p_memsz), UINT64_MAX },
	};

	for (size_t i = 0; i < LENGTH(wrong); i++) {
		const size_t header = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
		uint64_t offset;
		struct made_core m;
		struct core core;
		struct error e;

		made_core_init(&m, s, LENGTH(s), EM_X86_64, INFO, false);
		offset = get_le64(m.bytes + header + offsetof(Elf64_Phdr, p_offset));
		put_le64(m.bytes + header + wrong[i].at, wrong[i].value);
		ck_assert_msg(core_open(&core, &m.source, &e) == STATUS_OK, "case %zu: %s", i, e.text);
		ck_assert_str_eq(core.damage, "a program header");
		ck_assert_uint_eq(core.segments_count, 3);
		ck_assert_uint_eq(core.segments[1].offset, offset);
		ck_assert_uint_eq(core.segments[1].filesz, 3 * PAGE);
		core_close(&core);
		made_core_free(&m);
	}
	/* Only this segment is missing. */
	for (size_t i = 0; i < 2; i++) {
		static const size_t at[] = { offsetof(Elf64_Phdr, p_paddr), offsetof(Elf64_Phdr, p_offset) };
		struct made_core m;
		struct core core;
		struct error e;

		made_core_init(&m, s, LENGTH(s), EM_X86_64, INFO, false);
		put_le64(m.bytes + sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr) + at[i], UINT64_MAX - PAGE);
		ck_assert_msg(core_open(&core, &m.source, &e) == STATUS_OK, "case %zu: %s", i, e.text);
		ck_assert_str_eq(core.damage, "a program header");
		ck_assert_uint_eq(core.segments_count, i ? 3 : 2);
		core_close(&core);
		made_core_free(&m);
	}
}
END_TEST

static uint64_t notes_offset(const Elf64_Ehdr *h)
{
	return le64toh(((const Elf64_Phdr *)(h + 1))->p_offset);
}

/*
 * Segments that are not memory are skipped, and a file size larger than the memory size is reduced.
 */
START_TEST(test_odd_segments)
{
	struct segment s[] = {
		{ .paddr = 0x1000, .filesz = 2 * PAGE, .memsz = 2 * PAGE },
		{ .paddr = 0x8000, .filesz = PAGE, .memsz = PAGE },
		{ .paddr = 0x9000, .filesz = PAGE, .memsz = PAGE },
	};
	struct made_core m;
	struct core core;
	Elf64_Phdr *p;

	made_core_init(&m, s, LENGTH(s), EM_X86_64, INFO, false);
	p = (Elf64_Phdr *)(m.bytes + sizeof(Elf64_Ehdr)) + 1;
	p[0].p_memsz = htole64(PAGE);
	p[1].p_paddr = UINT64_MAX;
	p[2].p_memsz = 0;
	assert_open(&core, &m);
	ck_assert_uint_eq(core.segments_count, 1);
	ck_assert_uint_eq(core.segments[0].filesz, PAGE);
	core_close(&core);
	made_core_free(&m);
}
END_TEST

/* Any number of PT_NOTEs that all refer to the same bytes, which are not notes. */
static void claims(uint32_t headers, uint64_t bytes, const char *refused)
{
	const Elf64_Phdr note = { .p_type = htole32(PT_NOTE), .p_offset = htole64(4096), .p_filesz = htole64(bytes) };
	const Elf64_Phdr load = { .p_type = htole32(PT_LOAD), .p_filesz = htole64(PAGE), .p_memsz = htole64(PAGE) };
	struct segment s = { .paddr = 0x1000, .filesz = PAGE, .memsz = PAGE };
	uint64_t size = (headers + 2) * sizeof(note) + 4096 + bytes;
	struct made_core m;
	struct core core;
	Elf64_Ehdr *h;
	Elf64_Shdr *first;

	made_core_init(&m, &s, 1, EM_X86_64, INFO, true);
	h = (Elf64_Ehdr *)m.bytes;
	h->e_phoff = htole64(4096 + bytes);
	h->e_shoff = htole64(sizeof(*h));
	m.bytes = realloc(m.bytes, size);
	ck_assert_ptr_nonnull(m.bytes);
	h = (Elf64_Ehdr *)m.bytes;
	first = (Elf64_Shdr *)(m.bytes + sizeof(*h));
	memset(first, 0, 4096 + bytes - sizeof(*h));
	first->sh_info = htole32(headers + 1);
	memcpy(m.bytes + 4096 + bytes, &load, sizeof(load));
	for (uint32_t i = 0; i < headers; i++)
		memcpy(m.bytes + 4096 + bytes + (i + 1) * sizeof(note), &note, sizeof(note));
	m.size = m.source.size = size;
	if (refused) {
		assert_refused(&m, STATUS_DAMAGED, refused);
	} else {
		assert_open(&core, &m);
		ck_assert_uint_eq(core.notes_size, 0);
		core_close(&core);
	}
	made_core_free(&m);
}

/* The bytes that are read are limited, not only those that are kept. */
START_TEST(test_notes_without_end)
{
	const char *refused = "ELF header of the source: more notes than any machine has";

	claims(1, 64 << 20, NULL);
	claims(2, 32 << 20, NULL);
	claims(1, (64 << 20) + 1, refused);
	claims(3, 32 << 20, refused);
	claims(1 << 14, 1, NULL);
	claims((1 << 14) + 1, 1, refused);
}
END_TEST

/*
 * The expected result, by linear search: the last range that begins at or before an address and
 * contains it.
 */
static const struct segment *found_by_hand(const struct segment *all, size_t count, uint64_t address)
{
	const struct segment *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (all[i].paddr <= address && address - all[i].paddr < all[i].memsz &&
		    (!best || all[i].paddr > best->paddr))
			best = &all[i];
	return best;
}

START_TEST(test_segment_index)
{
	struct segment all[300];
	size_t count = (size_t)_i;
	struct segment_index x;
	struct error e;

	/* No two begin at the same address; many are within others. */
	for (size_t i = 0; i < count; i++)
		all[i] = (struct segment){
			.paddr = i * 7919 % 1009 * 3,
			.memsz = i % 50 == 0 ? 1500 : i * 31 % 17,
		};
	ck_assert_int_eq(segment_index_init(&x, all, count, true, &e), STATUS_OK);
	for (uint64_t address = 0; address < 5000; address++) {
		size_t up_to = segment_index_up_to(&x, address), at;
		const struct segment *want = found_by_hand(all, count, address);

		ck_assert(up_to == 0 || x.ranges[up_to - 1].first <= address);
		ck_assert(up_to == x.count || x.ranges[up_to].first > address);
		ck_assert_int_eq(segment_index_last(&x, up_to, address, &at), want != NULL);
		if (want)
			ck_assert_ptr_eq(x.ranges[at].segment, want);
	}
	segment_index_free(&x);
}
END_TEST

START_TEST(test_refused)
{
	struct segment s = { .paddr = 0x1000, .filesz = PAGE, .memsz = PAGE };
	const char *no = "unsupported source: ";
	struct made_core m;
	Elf64_Ehdr *h, good;
	Elf64_Phdr *p;
	char text[128];

	made_core_init(&m, &s, 1, EM_X86_64, NULL, false);
	h = (Elf64_Ehdr *)m.bytes;
	p = (Elf64_Phdr *)(h + 1);
	good = *h;
	m.source.size = 10;
	snprintf(text, sizeof(text), "%snot an ELF file", no);
	assert_refused(&m, STATUS_USAGE, text);
	m.source.size = m.size;
	h->e_ident[0] = 'k';
	h->e_ehsize = 0;
	assert_refused(&m, STATUS_USAGE, text);
	*h = good;
	h->e_ident[EI_CLASS] = ELFCLASS32;
	h->e_phentsize = htole16(32);
	h->e_ehsize = htole16(52);
	snprintf(text, sizeof(text), "%sa 32-bit ELF file", no);
	assert_refused(&m, STATUS_USAGE, text);
	*h = good;
	h->e_ident[EI_DATA] = ELFDATA2MSB;
	h->e_phentsize = htobe16(56);
	h->e_type = htobe16(ET_CORE);
	h->e_ehsize = htobe16(64);
	snprintf(text, sizeof(text), "%sa big-endian ELF file", no);
	assert_refused(&m, STATUS_USAGE, text);
	*h = good;
	h->e_type = htole16(ET_DYN);
	snprintf(text, sizeof(text), "%san ELF file, but not a core", no);
	assert_refused(&m, STATUS_USAGE, text);
	*h = good;
	h->e_machine = htole16(EM_386);
	snprintf(text, sizeof(text), "%sa core of a 32-bit machine", no);
	assert_refused(&m, STATUS_USAGE, text);
	h->e_machine = htole16(EM_ARM);
	assert_refused(&m, STATUS_USAGE, text);
	*h = good;
	h->e_phnum = PN_XNUM;	/* all bits */
	h->e_shoff = htole64(notes_offset(h));
	/* The first note's name and description are read as sh_info: too many headers. */
	memset(m.bytes + notes_offset(h), 0x7f, sizeof(Elf64_Shdr));
	assert_refused(&m, STATUS_DAMAGED,
		       "ELF header of the source: 2139062143 program headers; no more than 131072 can be read");
	*h = good;
	h->e_phnum = htole16(5000);
	snprintf(text, sizeof(text), "the program headers extend beyond the %zu bytes of the source", m.size);
	assert_refused(&m, STATUS_DAMAGED, text);
	*h = good;
	h->e_phnum = 0;
	assert_refused(&m, STATUS_DAMAGED, "ELF header of the source: no program headers");
	h->e_phnum = htole16(1);
	assert_refused(&m, STATUS_DAMAGED, "ELF header of the source: no segments of memory");
	*h = good;
	p[1].p_paddr = htole64(UINT64_MAX - PAGE);
	assert_refused(&m, STATUS_DAMAGED,
		       "ELF header of the source: no program header of memory is right");
	p[1].p_paddr = htole64(0x1000);
	p[1].p_offset = htole64(UINT64_MAX - 8);
	assert_refused(&m, STATUS_DAMAGED,
		       "ELF header of the source: no program header of memory is right");
	p[1].p_offset = m.size;
	p[0].p_filesz = UINT64_MAX;
	assert_refused(&m, STATUS_DAMAGED,
		       "ELF header of the source: more notes than any machine has");
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

/* Notes that say nothing do not hide the one that does. */
START_TEST(test_empty_vmcoreinfo)
{
	static const struct { const char *text; size_t size; } empty[] = { { "", 0 }, { "\0\0\0\0", 4 }, { "\n", 1 } };
	static const char info_text[] = "PAGESIZE=4096\n";
	uint8_t notes[256] = { 0 };
	struct core core = { .notes = notes };
	struct vmcoreinfo info;
	struct error e;

	for (int last = 0; last < 2; last++) {
		const char *text = last ? info_text : empty[_i].text;
		const uint32_t size = last ? sizeof(info_text) - 1 : empty[_i].size;
		const Elf64_Nhdr h = { .n_namesz = htole32(11), .n_descsz = htole32(size) };
		uint8_t *to = notes + core.notes_size;

		memcpy(to, &h, sizeof(h));
		memcpy(to + sizeof(h), "VMCOREINFO", 11);
		memcpy(to + sizeof(h) + 12, text, size);
		core.notes_size += sizeof(h) + 12 + (size + 3) / 4 * 4;
		if (!last)
			ck_assert_int_eq(vmcoreinfo_find(&core, &info, &e), STATUS_USAGE);
		if (!last)
			ck_assert_uint_eq(info.size, 0);
	}
	ck_assert_int_eq(vmcoreinfo_find(&core, &info, &e), STATUS_OK);
	ck_assert_uint_eq(info.size, sizeof(info_text) - 1);
}
END_TEST

/* A note that extends beyond the notes ends them. */
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
	ck_assert(note_has_name(&note, "CORE") && note.type == NT_PRSTATUS);
	((Elf64_Nhdr *)(core.notes + at))->n_namesz = UINT32_MAX;
	ck_assert(!core_next_note(&core, &at, &note));
	((Elf64_Nhdr *)(core.notes + at))->n_namesz = htole32(11);
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
	/* A read across both segments, where the first has zeros but the second has bytes. */
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

/* A page in two segments: if one cannot be read, the other is used. */
START_TEST(test_memory_twice)
{
	static uint8_t got[PAGE];
	struct segment s[] = {
		{ .paddr = 0x2000, .filesz = PAGE, .memsz = PAGE },
		{ .paddr = 0x1000, .filesz = 3 * PAGE, .memsz = 3 * PAGE },
	};
	size_t lost = (size_t)_i;
	struct made_core m;
	struct core core;
	struct error e;

	made_core_init(&m, s, LENGTH(s), EM_X86_64, INFO, false);
	assert_open(&core, &m);
	m.missing = s[lost].offset + (0x2000 - s[lost].paddr) + 100;
	m.missing_length = 1;
	ck_assert_msg(memory_read(&core, 0x2000, PAGE, got, &e) == STATUS_OK, "%s", e.text);
	assert_bytes(got, 0x2000, PAGE);
	m.missing = 0;
	m.missing_length = m.size;
	ck_assert_int_eq(memory_read(&core, 0x2000, PAGE, got, &e), STATUS_MISSING);
	core_close(&core);
	made_core_free(&m);
}
END_TEST

START_TEST(test_memory_cut_short)
{
	uint8_t got[8];
	struct segment s = { .paddr = 0x1000, .filesz = PAGE, .memsz = PAGE };
	struct made_core m;
	struct core core;
	struct error e;

	made_core_init(&m, &s, 1, EM_X86_64, INFO, false);
	m.source.size -= 4;
	assert_open(&core, &m);
	ck_assert_int_eq(memory_read(&core, 0x1ff4, 8, got, &e), STATUS_OK);
	ck_assert_int_eq(memory_read(&core, 0x1ff8, 8, got, &e), STATUS_MISSING);
	ck_assert_str_eq(e.text, "the core ends before physical address 0x1ff8");
	core_close(&core);
	made_core_free(&m);
}
END_TEST

/* The kernel's own names; if they are damaged, those in VMCOREINFO. */
START_TEST(test_uts)
{
	static const struct uts named = {
		.sysname = "Linux", .nodename = "db1", .release = "6.1.0-56-amd64",
		.version = "#1 SMP", .machine = "x86_64", .domainname = "(none)",
	};
	struct segment s = { .paddr = 0, .filesz = 4 * PAGE, .memsz = 4 * PAGE };
	struct uts uts = named, found;
	struct vmcoreinfo i;
	struct made_core m;
	struct core core;
	struct virt virt;
	struct error e;

	made_core_init(&m, &s, 1, EM_X86_64, "OSRELEASE=6.1.0\nNUMBER(phys_base)=0\n"
		       "SYMBOL(init_uts_ns)=ffffffff80001000\nOFFSET(uts_namespace.name)=16\n",
		       false);
	if (_i)
		uts.nodename[UTS_TEXT - 1] = 'x';
	made_core_poke(&m, &s, 1, 0x1010, &uts, sizeof(uts));
	assert_open(&core, &m);
	ck_assert_int_eq(vmcoreinfo_find(&core, &i, &e), STATUS_OK);
	virt_init(&virt, &core, &i);
	found = uts_find(&virt);
	ck_assert_str_eq(found.sysname, "Linux");
	ck_assert_str_eq(found.machine, "x86_64");
	ck_assert_str_eq(found.nodename, _i ? "" : named.nodename);
	ck_assert_str_eq(found.release, _i ? "6.1.0" : named.release);
	ck_assert_str_eq(found.version, _i ? "(unknown)" : named.version);
	core_close(&core);
	made_core_free(&m);
}
END_TEST

static void assert_page_size(const char *info, enum status status)
{
	struct segment s = { .paddr = 0x1000, .filesz = PAGE, .memsz = PAGE };
	struct vmcoreinfo i;
	struct made_core m;
	struct core core;
	struct error e;
	uint32_t size;

	made_core_init(&m, &s, 1, EM_X86_64, info, false);
	assert_open(&core, &m);
	ck_assert_int_eq(vmcoreinfo_find(&core, &i, &e), STATUS_OK);
	ck_assert_int_eq(vmcoreinfo_page_size(&i, &size, &e), status);
	core_close(&core);
	made_core_free(&m);
}

START_TEST(test_page_size)
{
	assert_page_size("PAGESIZE=65536\n", STATUS_OK);
	assert_page_size("PAGESIZE=131072\n", STATUS_DAMAGED);
	assert_page_size("PAGESIZE=2048\n", STATUS_DAMAGED);
	assert_page_size("PAGESIZE=12288\n", STATUS_DAMAGED);
	assert_page_size("PAGESIZE=-18446744073709547520\n", STATUS_DAMAGED);
	assert_page_size("PAGESIZE= 4096\n", STATUS_DAMAGED);
	assert_page_size("PAGESIZE=4096k\n", STATUS_DAMAGED);
	assert_page_size("MYPAGESIZE=4096\n", STATUS_DAMAGED);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("core");

	tcase_add_test(tcase, test_odd_segments);
	tcase_add_test(tcase, test_damaged_header);
	tcase_add_test(tcase, test_damaged_segment);
	tcase_add_test(tcase, test_notes_without_end);
	tcase_add_loop_test(tcase, test_segment_index, 0, 300);
	tcase_add_test(tcase, test_refused);
	tcase_add_test(tcase, test_vmcoreinfo);
	tcase_add_loop_test(tcase, test_empty_vmcoreinfo, 0, 3);
	tcase_add_test(tcase, test_hostile_notes);
	tcase_add_test(tcase, test_memory);
	tcase_add_loop_test(tcase, test_memory_twice, 0, 2);
	tcase_add_test(tcase, test_memory_cut_short);
	tcase_add_loop_test(tcase, test_uts, 0, 2);
	tcase_add_test(tcase, test_page_size);
	return helper_run_case("core", tcase);
}
