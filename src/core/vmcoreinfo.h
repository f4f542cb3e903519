// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * VMCOREINFO: what the dead kernel says of itself, a note of lines KEY=VALUE
 * (Documentation/admin-guide/kdump/vmcoreinfo.rst).
 */
#ifndef NSPLIT_CORE_VMCOREINFO_H
#define NSPLIT_CORE_VMCOREINFO_H

#include "core/elf.h"

struct vmcoreinfo {
	const char *text;	/* in the notes of the core */
	size_t size;
};

/* STATUS_USAGE: the core has none; it is empty then. */
enum status vmcoreinfo_find(const struct core *core, struct vmcoreinfo *info, struct error *e);

/*
 * The value of a whole key, "OSRELEASE", "SYMBOL(prb)"; of several lines the first one's.
 * False: there is none, or it does not fit.
 */
bool vmcoreinfo_text(const struct vmcoreinfo *info, const char *key, char *value, size_t room);

/* The same of a decimal number, "CRASHTIME".  False as well: it is none. */
bool vmcoreinfo_number(const struct vmcoreinfo *info, const char *key, uint64_t *value);

/*
 * KIND(NAME): SYMBOL, an address, which is hexadecimal; OFFSET, SIZE, LENGTH and NUMBER: decimal,
 * maybe negative, or else hexadecimal.  False: there is none, or it is no number.
 */
bool vmcoreinfo_get(const struct vmcoreinfo *info, const char *kind, const char *name,
		    uint64_t *value);

/* PAGESIZE, a power of two from 4096 to 65536.  STATUS_DAMAGED: it is not said, or is another. */
enum status vmcoreinfo_page_size(const struct vmcoreinfo *info, uint32_t *size, struct error *e);

#endif
