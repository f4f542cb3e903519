// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ELF core that a source is: which memory lies where in it, and its notes.
 * The form is that of /proc/vmcore (fs/proc/vmcore.c), and of other writers of 64-bit ELF cores
 * (QEMU, makedumpfile -E).  Nothing in it is trusted.
 */
#ifndef NSPLIT_CORE_ELF_H
#define NSPLIT_CORE_ELF_H

#include <elf.h>
#include <stdbool.h>

#include "core/bytes.h"

/* A PT_LOAD.  paddr + memsz is at most 2^56, offset + filesz below 2^64, and filesz at most memsz. */
struct segment {
	uint64_t vaddr, paddr;
	uint64_t offset;		/* in the core */
	uint64_t filesz;		/* bytes that the core has */
	uint64_t memsz;			/* bytes of memory; those that it has not are zeros */
};

struct core {
	struct core_bytes bytes;	/* borrowed */
	uint16_t machine;		/* EM_X86_64, EM_AARCH64 or another 64-bit little-endian one */
	struct segment *segments;	/* in the order of the headers; owned */
	size_t segments_count;
	/*
	 * The same by physical address, and how far they reach: reach[i] is the highest end of those up
	 * to by_address[i].  Both owned.
	 */
	const struct segment **by_address;
	uint64_t *reach;
	/* The whole notes of all PT_NOTEs, one behind the other, each from a multiple of 4; owned. */
	uint8_t *notes;
	size_t notes_size;
};

/*
 * STATUS_USAGE: it is no core, or of a form that is not known here; STATUS_DAMAGED: it contradicts
 * itself; or as bytes->read() returns.  core_close() is due in any case.
 */
enum status core_open(struct core *core, const struct core_bytes *bytes, struct error *e);
void core_close(struct core *core);

struct note {
	const char *name;		/* name_size bytes, which may or may not end in a zero byte */
	size_t name_size;
	uint32_t type;
	const uint8_t *desc;
	size_t desc_size;
};

/* How many of the segments begin at or before a physical address: so many of by_address. */
size_t core_segments_up_to(const struct core *core, uint64_t paddr);

/* The note at *at of the notes, 0 for the first, and moves on.  False: there is none. */
bool core_next_note(const struct core *core, size_t *at, struct note *note);
/* Is the note of this name? */
bool note_is_of(const struct note *note, const char *name);

#endif
