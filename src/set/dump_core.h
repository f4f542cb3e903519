// SPDX-License-Identifier: GPL-2.0-or-later
/* The headers of the core that a dump was made of.  For set/dump*.c only. */
#ifndef NSPLIT_SET_DUMP_CORE_H
#define NSPLIT_SET_DUMP_CORE_H

#include "core/elf.h"
#include "set/dump.h"
#include "set/dump_runs.h"

struct dump_notes {
	uint8_t *bytes;			/* owned; NULL: none */
	uint64_t size;
};

/* Adds a note behind the whole ones.  False: out of memory. */
bool dump_notes_add(struct dump_notes *n, const char *name, const void *text, size_t size);
/* A core with these notes, which are borrowed, and nothing else. */
struct core dump_notes_core(const struct dump_notes *notes);

/*
 * Makes d->head: an ELF header, a program header for the notes and one for each run, and the notes.  Its size is a
 * multiple of the block size.  False: out of memory.
 */
bool dump_core_head(struct dump *d, const struct dump_runs *runs, const struct dump_notes *notes);
/* The machine was found afterwards. */
void dump_core_set_machine(struct dump *d);

#endif
