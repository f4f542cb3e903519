// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/common/vmcore.h"

const char vmcore_name[] = "/proc/vmcore";

bool vmcore_absent(const char *name)
{
	struct stat st;

	return strcmp(name, vmcore_name) == 0 && stat(name, &st) < 0 && errno == ENOENT;
}

enum status vmcore_refuse_absent(const char *name, struct error *e)
{
	if (!vmcore_absent(name))
		return STATUS_OK;
	return error_set(e, STATUS_SYSTEM, "%s: exists only in the capture kernel, after a crash; "
			 "'nsplit --check-params' checks the setup, and mkfakevmcore makes a core to "
			 "try with", name);
}

enum status vmcore_open(struct source **source, const char *name, enum mmap_mode mmap,
			struct error *e)
{
	if (vmcore_refuse_absent(name, e))
		return e->status;
	return source_open(source, name, mmap, e);
}
