// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"
#include "system/build_id.h"

static bool is_elf(const uint8_t *file, size_t size)
{
	const uint8_t class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

	return size >= sizeof(ElfW(Ehdr)) && memcmp(file, ELFMAG, SELFMAG) == 0 && file[EI_CLASS] == class;
}

static uint64_t aligned(uint64_t size)
{
	return (size + 3) & ~(uint64_t)3;
}

/* Among the notes of one segment, each of which has the size of its name, of its contents, and its type. */
static bool find_note(const uint8_t *notes, uint64_t size, char id[BUILD_ID_LENGTH])
{
	ElfW(Nhdr) note;

	while (size >= sizeof(note)) {
		uint64_t name, all;

		memcpy(&note, notes, sizeof(note));
		name = sizeof(note) + aligned(note.n_namesz);
		all = name + aligned(note.n_descsz);
		if (all > size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(notes + sizeof(note), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
		    note.n_descsz && note.n_descsz <= (BUILD_ID_LENGTH - 1) / 2) {
			hex_format(notes + name, note.n_descsz, id);
			return true;
		}
		notes += all;
		size -= all;
	}
	return false;
}

bool build_id_in(const void *data, size_t size, char id[BUILD_ID_LENGTH])
{
	const uint8_t *file = data;
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;

	if (!is_elf(file, size))
		return false;
	memcpy(&header, file, sizeof(header));
	if (header.e_phentsize != sizeof(segment) || header.e_phoff > size ||
	    header.e_phnum > (size - header.e_phoff) / sizeof(segment))
		return false;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		memcpy(&segment, file + header.e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_type == PT_NOTE && segment.p_offset <= size &&
		    segment.p_filesz <= size - segment.p_offset &&
		    find_note(file + segment.p_offset, segment.p_filesz, id))
			return true;
	}
	return false;
}

bool build_id_of(const char *path, char id[BUILD_ID_LENGTH])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *file = MAP_FAILED;
	bool found = false;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return false;
	found = build_id_in(file, (size_t)st.st_size, id);
	munmap(file, (size_t)st.st_size);
	return found;
}
