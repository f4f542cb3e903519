// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "format/machine.h"
#include "set/dump.h"
#include "set/dump_core.h"

static const char vmcoreinfo_name[] = "VMCOREINFO";

enum { VMCOREINFO_NOTE = sizeof(Elf64_Nhdr) + 12 };	/* bytes before the text */

static uint64_t notes_size(const struct dump_notes *n)
{
	return n->vmcoreinfo_only && n->size ? VMCOREINFO_NOTE + round_up(n->size, 4) : n->size;
}

static void put_notes(uint8_t *dst, const struct dump_notes *n)
{
	if (n->vmcoreinfo_only && n->size) {
		put_le32(dst, sizeof(vmcoreinfo_name));
		put_le32(dst + 4, (uint32_t)n->size);
		memcpy(dst + sizeof(Elf64_Nhdr), vmcoreinfo_name, sizeof(vmcoreinfo_name));
		dst += VMCOREINFO_NOTE;
	}
	if (n->size)
		memcpy(dst, n->bytes, n->size);
}

static void put_ehdr(uint8_t *dst, const struct kdump_header *h, uint64_t headers)
{
	/* With so many headers, a section header has their number; it follows them. */
	bool many = headers >= PN_XNUM;
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = htole16(ET_CORE),
		.e_machine = htole16(machine_of_name(h->uts + KDUMP_UTS_MACHINE)),
		.e_version = htole32(EV_CURRENT),
		.e_phoff = htole64(sizeof(Elf64_Ehdr)),
		.e_ehsize = htole16(sizeof(Elf64_Ehdr)),
		.e_phentsize = htole16(sizeof(Elf64_Phdr)),
		.e_phnum = htole16(many ? PN_XNUM : (uint16_t)headers),
	};
	const Elf64_Shdr first = { .sh_info = htole32((uint32_t)headers) };

	if (many) {
		uint64_t at = sizeof(ehdr) + headers * sizeof(Elf64_Phdr);

		ehdr.e_shoff = htole64(at);
		ehdr.e_shentsize = htole16(sizeof(first));
		ehdr.e_shnum = htole16(1);
		memcpy(dst + at, &first, sizeof(first));
	}
	memcpy(dst, &ehdr, sizeof(ehdr));
}

static void put_load(uint8_t *dst, const struct dump_run *run, uint64_t head, uint64_t page_size)
{
	const Elf64_Phdr load = {
		.p_type = htole32(PT_LOAD),
		.p_flags = htole32(PF_R | PF_W | PF_X),
		.p_offset = htole64(head + run->rank * page_size),
		.p_paddr = htole64(run->pfn * page_size),
		.p_filesz = htole64(run->kept ? run->count * page_size : 0),
		.p_memsz = htole64(run->count * page_size),
	};

	memcpy(dst, &load, sizeof(load));
}

bool dump_core_head(const struct kdump_header *h, const struct dump_runs *runs, const struct dump_notes *notes,
		    uint8_t **bytes, uint64_t *size)
{
	uint64_t headers = runs->count + 1;
	uint64_t at = sizeof(Elf64_Ehdr) + headers * sizeof(Elf64_Phdr) + sizeof(Elf64_Shdr);
	const Elf64_Phdr note = {
		.p_type = htole32(PT_NOTE),
		.p_offset = htole64(at),
		.p_filesz = htole64(notes_size(notes)),
		.p_memsz = htole64(notes_size(notes)),
	};
	uint8_t *head;

	*size = round_up(at + notes_size(notes), h->block_size);
	*bytes = head = calloc(1, *size);
	if (!head)
		return false;
	put_ehdr(head, h, headers);
	memcpy(head + sizeof(Elf64_Ehdr), &note, sizeof(note));
	for (size_t i = 0; i < runs->count; i++)
		put_load(head + sizeof(Elf64_Ehdr) + (1 + i) * sizeof(Elf64_Phdr), &runs->runs[i], *size,
			 h->block_size);
	put_notes(head + at, notes);
	return true;
}

struct sought_header {
	const uint8_t *headers;
	uint64_t offset;
};

static Elf64_Phdr get_header(const uint8_t *headers, size_t i)
{
	Elf64_Phdr header;

	memcpy(&header, headers + i * sizeof(header), sizeof(header));
	return header;
}

static bool header_ends_before(const void *arg, size_t i)
{
	const struct sought_header *s = arg;
	Elf64_Phdr header = get_header(s->headers, i);

	return le64toh(header.p_offset) + le64toh(header.p_filesz) <= s->offset;
}

uint64_t dump_address(const struct dump *d, uint64_t offset, uint64_t *length)
{
	const struct sought_header sought = { d->head + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), offset };
	Elf64_Phdr header = get_header(sought.headers, search_first(d->runs, header_ends_before, &sought));
	uint64_t within = offset - le64toh(header.p_offset);

	*length = le64toh(header.p_filesz) - within;
	return le64toh(header.p_paddr) + within;
}
