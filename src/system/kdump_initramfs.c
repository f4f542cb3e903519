// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit in the initramfs that initramfs-tools makes, where there is no kdump-tools. */
#include "config.h"

#include "system/kdump_find.h"

void kdump_find_initramfs(const char *root, struct kdump_system *kdump)
{
	char release[128], name[PATH_MAX];

	*kdump = (struct kdump_system){ .kind = KDUMP_INITRAMFS, .name = "initramfs-tools",
					.from_initramfs = true };
	kdump_set_collector(kdump, "nsplit");
	kdump_set_caller(root, kdump);
	kdump_release(root, release);
	snprintf(name, sizeof(name), "/boot/initrd.img-%s", release);
	kdump_set_initramfs(root, name, kdump);
}
