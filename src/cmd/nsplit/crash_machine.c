// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/cpus.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/check/initramfs.h"
#include "cmd/nsplit/check/kernel.h"
#include "cmd/nsplit/crash_machine.h"

const char *crash_machine_root(void)
{
	const char *root = getenv("NSPLIT_ROOT");

	return root ? root : "";
}

struct crash_kernel crash_machine_kernel(const char *root, const struct names *outputs)
{
	struct crash_kernel kernel = crash_kernel_of(root);
	struct findings ignored = { 0 };
	struct kdump_system kdump;

	kdump_system_find(root, &kdump);
	if (kdump.kind != KDUMP_NONE)
		kernel.initramfs = nsplit_check_initramfs(&ignored, root, &kdump, outputs);
	findings_free(&ignored);
	return kernel;
}

unsigned crash_machine_cpus(const char *root)
{
	unsigned all = cpus_allowed();
	struct kdump_system kdump;

	kdump_system_find(root, &kdump);
	return kdump.cpus && kdump.cpus < all ? kdump.cpus : all;
}

bool crash_machine_is_ready(const struct crash_kernel *kernel)
{
	struct findings found = { 0 };
	bool ready;

	nsplit_check_kernel(&found, kernel);
	findings_print(&found, false);
	ready = findings_exit_status(&found) == EXIT_PERFECT;
	findings_free(&found);
	return ready;
}
