// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <string.h>

#include "cmd/vmcore.h"

const char vmcore_name[] = "/proc/vmcore";

bool vmcore_absent(const char *name, enum status status, const struct error *e)
{
	return status == STATUS_SYSTEM && e->errnum == ENOENT && strcmp(name, vmcore_name) == 0;
}

enum status vmcore_open(struct source **source, const char *name, enum mmap_mode mmap,
			struct error *e)
{
	enum status status = source_open(source, name, mmap, e);

	if (!vmcore_absent(name, status, e))
		return status;
	return error_set(e, STATUS_SYSTEM, "%s: exists only in the capture kernel, after a crash; "
			 "'nsplit --check-params' checks the setup, and mkfakevmcore makes a core to "
			 "try with", name);
}
