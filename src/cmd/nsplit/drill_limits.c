// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/cpus.h"
#include "base/size.h"
#include "capture/memory/crash_kernel.h"
#include "cmd/common/message.h"
#include "cmd/common/vmcore.h"
#include "cmd/nsplit/check_kernel.h"
#include "cmd/nsplit/drill_limits.h"
#include "system/kdump_system.h"

/* Is there a capture kernel that is loaded? */
static bool kernel_is_ready(const struct crash_kernel *kernel)
{
	struct findings found = { 0 };
	bool ready;

	nsplit_check_kernel(&found, kernel);
	findings_print(&found, false);
	ready = findings_exit_status(&found) == EXIT_PERFECT;
	findings_free(&found);
	return ready;
}

static unsigned cpus_of_capture_kernel(const char *root)
{
	struct kdump_system kdump;
	unsigned all = cpus_allowed();

	kdump_system_find(root, &kdump);
	return kdump.cpus && kdump.cpus < all ? kdump.cpus : all;
}

bool drill_limits_find(const struct nsplit_options *o, struct drill_limits *limits)
{
	const char *given = getenv("NSPLIT_ROOT"), *root = given ? given : "";
	struct crash_kernel kernel;
	char size[SIZE_TEXT_LENGTH];

	*limits = (struct drill_limits){
		.memory = o->drill_memory ? o->drill_memory : UINT64_MAX,
		.cpus = cpus_of_capture_kernel(root),
	};
	if (o->drill_memory)
		return true;
	kernel = crash_kernel_of(root);
	limits->no_dump = vmcore_absent(o->source) && !kernel_is_ready(&kernel);
	if (!kernel.reserved_known || !kernel.reserved)
		return true;
	limits->memory = crash_kernel_leaves(kernel.reserved);
	if (!limits->memory)
		message("drill failed: of the %s that crashkernel= reserves, a capture kernel leaves nothing to programs",
			size_format(kernel.reserved, size));
	return limits->memory;
}
