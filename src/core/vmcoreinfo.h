// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * VMCOREINFO: a note in which the crashed kernel describes itself, with lines KEY=VALUE
 * (Documentation/admin-guide/kdump/vmcoreinfo.rst).
 */
#ifndef NSPLIT_CORE_VMCOREINFO_H
#define NSPLIT_CORE_VMCOREINFO_H

#include "core/elf.h"

struct vmcoreinfo {
	const char *text;	/* in the notes of the core; borrowed */
	size_t size;
};

/* The first note with a line KEY=VALUE.  STATUS_USAGE: the core has none; info is empty then. */
enum status vmcoreinfo_find(const struct core *core, struct vmcoreinfo *info, struct error *e);

/*
 * The value of the first line with this key, such as "OSRELEASE" or "SYMBOL(prb)".  False: there is
 * none, or it does not fit.
 */
bool vmcoreinfo_text(const struct vmcoreinfo *info, const char *key, char *value, size_t size);

/* The same for a decimal number, such as "CRASHTIME".  Also false: it is not a number. */
bool vmcoreinfo_number(const struct vmcoreinfo *info, const char *key, uint64_t *value);

/*
 * The value of KIND(NAME).  SYMBOL is an address in hexadecimal; OFFSET, SIZE, LENGTH and NUMBER
 * are decimal, perhaps negative, or hexadecimal.  False: there is none, or it is not a number.
 */
bool vmcoreinfo_get(const struct vmcoreinfo *info, const char *kind, const char *name,
		    uint64_t *value);

/* PAGESIZE, a power of two from 4096 to 65536.  STATUS_DAMAGED: it is missing or invalid. */
enum status vmcoreinfo_page_size(const struct vmcoreinfo *info, uint32_t *size, struct error *e);
/* The same, but on x86_64, all pages have one size, whatever bytes of VMCOREINFO are wrong. */
enum status core_page_size(const struct core *core, const struct vmcoreinfo *info, uint32_t *size, struct error *e);

#endif
