// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "made_core.h"

enum { PAGE = 4096 };

/* Shorter than struct elf_prstatus, whose contents no test reads. */
struct noted {
	Elf64_Nhdr prstatus;
	char core[8];
	uint8_t status[336];
	Elf64_Nhdr vmcoreinfo;
	char name[12];
};

uint8_t made_core_byte(uint64_t paddr)
{
	return (uint8_t)(paddr / PAGE * 37 + paddr % PAGE * 11 + 1);
}

static enum status read_made(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct made_core *m = arg;

	ck_assert_uint_le(len, m->size);
	ck_assert_uint_le(offset, m->size - len);
	if (offset < m->missing + m->missing_length && offset + len > m->missing)
		return error_set(e, m->missing_status ? m->missing_status : STATUS_MISSING,
				 "byte %u is not in any member", (unsigned)m->missing);
	memcpy(dst, m->bytes + offset, len);
	return STATUS_OK;
}

static uint64_t lay_out(struct segment *segments, size_t count, uint64_t at)
{
	for (size_t i = 0; i < count; i++) {
		segments[i].offset = round_up(at, PAGE) + segments[i].paddr % PAGE;
		at = segments[i].offset + segments[i].filesz;
	}
	return round_up(at, PAGE);
}

static size_t put_notes(uint8_t *dst, const char *vmcoreinfo)
{
	struct noted n = {
		.prstatus = { htole32(5), htole32(sizeof(n.status)), htole32(NT_PRSTATUS) },
		.core = "CORE",
		.vmcoreinfo = { .n_namesz = htole32(11) },
		.name = "VMCOREINFO",
	};

	if (!vmcoreinfo) {
		memcpy(dst, &n, offsetof(struct noted, vmcoreinfo));
		return offsetof(struct noted, vmcoreinfo);
	}
	n.vmcoreinfo.n_descsz = htole32((uint32_t)strlen(vmcoreinfo));
	memcpy(dst, &n, sizeof(n));
	memcpy(dst + sizeof(n), vmcoreinfo, strlen(vmcoreinfo));
	return sizeof(n) + strlen(vmcoreinfo);
}

static void put_headers(struct made_core *m, const struct segment *segments, size_t count,
			uint16_t machine, bool xnum, uint64_t notes, size_t notes_size)
{
	Elf64_Ehdr *h = (Elf64_Ehdr *)m->bytes;
	Elf64_Phdr *p = (Elf64_Phdr *)(h + 1);
	Elf64_Shdr *first = (Elf64_Shdr *)(p + count + 1);

	memcpy(h->e_ident, ELFMAG, SELFMAG);
	h->e_ident[EI_CLASS] = ELFCLASS64;
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_ident[EI_VERSION] = EV_CURRENT;
	h->e_type = htole16(ET_CORE);
	h->e_machine = htole16(machine);
	h->e_version = htole32(EV_CURRENT);
	h->e_phoff = htole64(sizeof(*h));
	h->e_ehsize = htole16(sizeof(*h));
	h->e_phentsize = htole16(sizeof(*p));
	h->e_phnum = htole16(xnum ? PN_XNUM : (uint16_t)(count + 1));
	if (xnum) {
		h->e_shoff = htole64((uint64_t)((uint8_t *)first - m->bytes));
		h->e_shentsize = htole16(sizeof(*first));
		h->e_shnum = htole16(1);
		first->sh_info = htole32((uint32_t)(count + 1));
	}
	*p++ = (Elf64_Phdr){ .p_type = htole32(PT_NOTE), .p_offset = htole64(notes),
			     .p_filesz = htole64(notes_size), .p_memsz = htole64(notes_size) };
	for (size_t i = 0; i < count; i++)
		*p++ = (Elf64_Phdr){
			.p_type = htole32(PT_LOAD),
			.p_offset = htole64(segments[i].offset),
			.p_vaddr = htole64(segments[i].vaddr),
			.p_paddr = htole64(segments[i].paddr),
			.p_filesz = htole64(segments[i].filesz),
			.p_memsz = htole64(segments[i].memsz),
		};
}

void made_core_init(struct made_core *m, struct segment *segments, size_t count, uint16_t machine,
		    const char *vmcoreinfo, bool xnum)
{
	uint64_t notes = round_up(sizeof(Elf64_Ehdr) + (count + 1) * sizeof(Elf64_Phdr) +
				  sizeof(Elf64_Shdr), PAGE);
	uint64_t length = sizeof(struct noted) + (vmcoreinfo ? strlen(vmcoreinfo) : 0);

	*m = (struct made_core){ 0 };
	m->size = lay_out(segments, count, notes + length);
	m->bytes = malloc(m->size);
	ck_assert_ptr_nonnull(m->bytes);
	memset(m->bytes, 0, notes + length);
	memset(m->bytes + notes + length, 0xee, m->size - notes - length);
	put_headers(m, segments, count, machine, xnum, notes,
		    put_notes(m->bytes + notes, vmcoreinfo));
	for (size_t i = 0; i < count; i++)
		for (uint64_t at = 0; at < segments[i].filesz; at++)
			m->bytes[segments[i].offset + at] = made_core_byte(segments[i].paddr + at);
	m->source = (struct core_bytes){ .size = m->size, .read = read_made, .arg = m };
}

void made_core_free(struct made_core *m)
{
	free(m->bytes);
}

void made_core_poke(struct made_core *m, const struct segment *segments, size_t count,
		    uint64_t paddr, const void *bytes, size_t len)
{
	for (size_t i = 0; i < count; i++) {
		const struct segment *s = &segments[i];

		if (paddr >= s->paddr && paddr + len <= s->paddr + s->filesz)
			memcpy(m->bytes + s->offset + (paddr - s->paddr), bytes, len);
	}
}

void made_core_poke64(struct made_core *m, const struct segment *segments, size_t count, uint64_t paddr, uint64_t value)
{
	value = htole64(value);
	made_core_poke(m, segments, count, paddr, &value, sizeof(value));
}
