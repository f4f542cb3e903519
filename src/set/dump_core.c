// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "set/dump_core.h"

struct core dump_notes_core(const struct dump_notes *notes)
{
	return (struct core){ .notes = notes->bytes, .notes_size = notes->size };
}

bool dump_notes_add(struct dump_notes *n, const char *name, const void *text, size_t size)
{
	size_t name_size = strlen(name) + 1, before = sizeof(Elf64_Nhdr) + round_up(name_size, 4), at = 0;
	struct core core = dump_notes_core(n);
	uint8_t *bytes, *note_bytes;
	struct note note;
	uint64_t all;

	while (core_next_note(&core, &at, &note))
		continue;
	all = round_up(at, 4) + before + round_up(size, 4);
	bytes = calloc(1, all);
	if (!bytes)
		return false;
	if (at)
		memcpy(bytes, n->bytes, at);
	note_bytes = bytes + round_up(at, 4);
	put_le32(note_bytes, (uint32_t)name_size);
	put_le32(note_bytes + 4, (uint32_t)size);
	memcpy(note_bytes + sizeof(Elf64_Nhdr), name, name_size);
	memcpy(note_bytes + before, text, size);
	free(n->bytes);
	n->bytes = bytes;
	n->size = all;
	return true;
}

static void put_ehdr(uint8_t *dst, uint16_t machine, uint64_t headers)
{
	/* With so many headers, a section header has their number; it follows them. */
	bool many = headers >= PN_XNUM;
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = htole16(ET_CORE),
		.e_machine = htole16(machine),
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

static void put_load(uint8_t *dst, const struct dump *d, const struct dump_run *run)
{
	const Elf64_Phdr load = {
		.p_type = htole32(PT_LOAD),
		.p_flags = htole32(PF_R | PF_W | PF_X),
		.p_offset = htole64(d->head_size + run->rank * d->block_size),
		.p_paddr = htole64(run->pfn * d->block_size),
		.p_filesz = htole64(run->kept ? run->count * d->block_size : 0),
		.p_memsz = htole64(run->count * d->block_size),
	};

	memcpy(dst, &load, sizeof(load));
}

bool dump_core_head(struct dump *d, const struct dump_runs *runs, const struct dump_notes *notes)
{
	uint64_t headers = runs->count + 1;
	uint64_t at = sizeof(Elf64_Ehdr) + headers * sizeof(Elf64_Phdr) + sizeof(Elf64_Shdr);
	const Elf64_Phdr note = {
		.p_type = htole32(PT_NOTE),
		.p_offset = htole64(at),
		.p_filesz = htole64(notes->size),
		.p_memsz = htole64(notes->size),
	};

	d->head_size = round_up(at + notes->size, d->block_size);
	d->head = calloc(1, d->head_size);
	if (!d->head)
		return false;
	put_ehdr(d->head, d->machine, headers);
	memcpy(d->head + sizeof(Elf64_Ehdr), &note, sizeof(note));
	for (size_t i = 0; i < runs->count; i++)
		put_load(d->head + sizeof(Elf64_Ehdr) + (1 + i) * sizeof(Elf64_Phdr), d, &runs->runs[i]);
	if (notes->size)
		memcpy(d->head + at, notes->bytes, notes->size);
	d->notes = (struct core){ .notes = d->head + at, .notes_size = notes->size };
	return true;
}

void dump_core_set_machine(struct dump *d)
{
	put_le16(d->head + offsetof(Elf64_Ehdr, e_machine), d->machine);
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
