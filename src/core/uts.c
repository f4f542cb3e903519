// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/uts.h"
#include "format/machine.h"

/* libkdumpfile expects a zero byte at the very end. */
static bool ends(const char text[UTS_TEXT])
{
	return text[UTS_TEXT - 1] == '\0';
}

static bool is_sane(const struct uts *uts)
{
	return ends(uts->sysname) && ends(uts->nodename) && ends(uts->release) &&
	       ends(uts->version) && ends(uts->machine) && ends(uts->domainname) &&
	       strcmp(uts->sysname, "Linux") == 0 && uts->release[0] && uts->version[0] &&
	       uts->machine[0];
}

/* Kernels 2.6 have no uts_namespace.name; there a reference count precedes the names. */
static bool read_uts(const struct virt *v, struct uts *uts)
{
	uint64_t address, offset;
	struct error ignored;

	if (!vmcoreinfo_get(v->info, "SYMBOL", "init_uts_ns", &address))
		return false;
	if (!vmcoreinfo_get(v->info, "OFFSET", "uts_namespace.name", &offset))
		offset = sizeof(int32_t);
	return !virt_read(v, address + offset, sizeof(*uts), (uint8_t *)uts, &ignored) &&
	       is_sane(uts);
}

struct uts uts_find(const struct virt *v)
{
	const char *machine = machine_name(v->core->machine);
	struct uts uts;

	if (read_uts(v, &uts))
		return uts;
	uts = (struct uts){ .sysname = "Linux", .version = "(unknown)" };
	if (!vmcoreinfo_text(v->info, "OSRELEASE", uts.release, sizeof(uts.release)) ||
	    !uts.release[0])
		snprintf(uts.release, sizeof(uts.release), "(unknown)");
	snprintf(uts.machine, sizeof(uts.machine), "%s", machine ? machine : "(unknown)");
	return uts;
}
