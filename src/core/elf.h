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
#include "core/segments.h"

struct core {
	struct core_bytes bytes;	/* borrowed */
	uint16_t machine;		/* EM_X86_64, EM_AARCH64 or another 64-bit little-endian one */
	struct segment *segments;	/* in the order of the headers; owned */
	size_t segments_count;
	struct segment_index physical;	/* the same by address */
	struct segment_index virtual;
	/* The whole notes of all PT_NOTEs, one behind the other, each from a multiple of 4; owned. */
	uint8_t *notes;
	size_t notes_size;
};

/*
 * STATUS_USAGE: it is no core, or of a form that is not known here; STATUS_DAMAGED: it contradicts
 * itself, or has more of something than any machine; or as bytes->read() returns.  core_close() is due in any case.
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

/* The note at *at of the notes, 0 for the first, and moves on.  False: there is none. */
bool core_next_note(const struct core *core, size_t *at, struct note *note);
/* Is the note of this name? */
bool note_is_of(const struct note *note, const char *name);

#endif
