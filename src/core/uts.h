// SPDX-License-Identifier: GPL-2.0-or-later
/* What the crashed machine is: its kind, and its names, the six texts of uname(2). */
#ifndef NSPLIT_CORE_UTS_H
#define NSPLIT_CORE_UTS_H

#include "core/virt.h"

enum { UTS_TEXT = 65, UTS_TEXTS = 6 };

/* The same layout as the kernel's struct new_utsname; each text ends in a zero byte. */
struct uts {
	char sysname[UTS_TEXT], nodename[UTS_TEXT], release[UTS_TEXT];
	char version[UTS_TEXT], machine[UTS_TEXT], domainname[UTS_TEXT];
};

/*
 * Reads the names from the memory of the crashed kernel; if that fails, takes them from VMCOREINFO
 * and the ELF header.  The texts that readers need (sysname, release, version, machine) are never
 * empty.
 */
struct uts uts_find(const struct virt *v);

/*
 * Takes the names from the header of a dump: bytes are those of the names, and UTS_MOVED more on either side, because
 * makedumpfile copies the names of some kernels with this offset.  Returns the machine, or EM_NONE: it has another name,
 * which is empty if there is none.  All texts are empty then if they are not those of a Linux kernel.
 */
enum { UTS_MOVED = 4 };
uint16_t uts_of_header(struct uts *uts, const char bytes[sizeof(struct uts) + 2 * UTS_MOVED]);

/* The name of a machine whose dumps can be read: 64-bit, little-endian.  NULL: it is another one. */
const char *machine_name(uint16_t machine);

/* The machine by a key of VMCOREINFO that no other has; EM_NONE: there is none. */
uint16_t machine_of_keys(const struct vmcoreinfo *info);
/* By the size of the registers in the notes of CPUs, or else the address of the kernel. */
uint16_t machine_of_notes(const struct core *core, const struct vmcoreinfo *info);
/* By the names in the memory of a kernel, if this page has them. */
uint16_t machine_of_page(const uint8_t *page, size_t size);

#endif
