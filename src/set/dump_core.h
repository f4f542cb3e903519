// SPDX-License-Identifier: GPL-2.0-or-later
/* The headers of the core that a dump was made of.  For set/dump*.c only. */
#ifndef NSPLIT_SET_DUMP_CORE_H
#define NSPLIT_SET_DUMP_CORE_H

#include "set/dump_runs.h"

struct dump_notes {
	uint8_t *bytes;			/* owned; NULL: none */
	uint64_t size;
	bool vmcoreinfo_only;		/* bytes are the text of VMCOREINFO, without the header of a note */
};

/*
 * Makes everything before the pages of the core: an ELF header, a program header for the notes and one
 * for each run, and the notes.  The bytes are a multiple of the page size, and belong to the caller.
 * False: out of memory.
 */
bool dump_core_head(const struct kdump_header *h, const struct dump_runs *runs, const struct dump_notes *notes,
		    uint8_t **bytes, uint64_t *size);

#endif
