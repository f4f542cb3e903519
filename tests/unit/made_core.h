// SPDX-License-Identifier: GPL-2.0-or-later
/* An ELF core in memory, which tests change and read. */
#ifndef NSPLIT_TESTS_UNIT_MADE_CORE_H
#define NSPLIT_TESTS_UNIT_MADE_CORE_H

#include <stdbool.h>

#include "core/elf.h"

struct made_core {
	uint8_t *bytes;		/* owned */
	size_t size;
	struct core_bytes source;	/* reads the core */
	/* A range that cannot be read, as in a hole; length 0: none. */
	uint64_t missing, missing_length;
	enum status missing_status;	/* of reading it; STATUS_OK, at first: STATUS_MISSING */
};

/*
 * Makes a core with the layout of /proc/vmcore: headers, then notes with vmcoreinfo (NULL: none)
 * and one PRSTATUS, then the filesz bytes of each segment. Each begins at the offset in its page
 * that its paddr has; the bytes between are 0xee. The offsets of the segments are filled in. xnum:
 * the number of headers is stored where it is if there are too many. Byte b of physical address a
 * is made_core_byte(a).
 */
void made_core_init(struct made_core *m, struct segment *segments, size_t count, uint16_t machine,
		    const char *vmcoreinfo, bool xnum);
void made_core_free(struct made_core *m);

uint8_t made_core_byte(uint64_t paddr);

/* Writes len bytes to a physical address, in every segment that has it. */
void made_core_poke(struct made_core *m, const struct segment *segments, size_t count,
		    uint64_t paddr, const void *bytes, size_t len);
void made_core_poke64(struct made_core *m, const struct segment *segments, size_t count, uint64_t paddr, uint64_t value);

#endif
