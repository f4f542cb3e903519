// SPDX-License-Identifier: GPL-2.0-or-later
/* The names of the crashed machine: the six texts of uname(2). */
#ifndef NSPLIT_CORE_UTS_H
#define NSPLIT_CORE_UTS_H

#include "core/virt/virt.h"

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

#endif
