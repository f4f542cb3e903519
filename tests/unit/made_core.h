// SPDX-License-Identifier: GPL-2.0-or-later
/* An ELF core made in memory, to be changed and read by tests. */
#ifndef NSPLIT_TESTS_UNIT_MADE_CORE_H
#define NSPLIT_TESTS_UNIT_MADE_CORE_H

#include <stdbool.h>

#include "core/elf.h"

struct made_core {
	uint8_t *bytes;		/* owned */
	size_t size;
	struct core_bytes source;	/* reads them */
	/* Where bytes cannot be read, as in a hole; length 0: everywhere they can. */
	uint64_t missing, missing_length;
};

/*
 * Made as /proc/vmcore has it: headers, then notes with vmcoreinfo (NULL: none) and one
 * PRSTATUS, then the segments' filesz bytes, each from a page that paddr's place in its page
 * continues; what is between them is 0xee.  Their offsets are filled in.  With xnum
 * the number of headers stands where it does when there are too many.  Byte b of
 * physical address a is made_core_byte(a).
 */
void made_core_init(struct made_core *m, struct segment *segments, size_t count, uint16_t machine,
		    const char *vmcoreinfo, bool xnum);
void made_core_free(struct made_core *m);

uint8_t made_core_byte(uint64_t paddr);

/* Writes len bytes to a physical address, into every segment that has it. */
void made_core_poke(struct made_core *m, const struct segment *segments, size_t count,
		    uint64_t paddr, const void *bytes, size_t len);

#endif
