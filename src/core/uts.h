// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the dead machine called itself: uname(2)'s six texts.
 */
#ifndef NSPLIT_CORE_UTS_H
#define NSPLIT_CORE_UTS_H

#include "core/virt.h"

enum { UTS_TEXT = 65, UTS_TEXTS = 6 };

/* As struct new_utsname of the kernel: each text ends in a zero byte. */
struct uts {
	char sysname[UTS_TEXT], nodename[UTS_TEXT], release[UTS_TEXT];
	char version[UTS_TEXT], machine[UTS_TEXT], domainname[UTS_TEXT];
};

/*
 * Out of the dead kernel's memory; where that cannot be, what VMCOREINFO and the ELF header
 * tell.  No text that readers look for (sysname, release, version, machine) is empty.
 */
struct uts uts_find(const struct virt *v);

#endif
