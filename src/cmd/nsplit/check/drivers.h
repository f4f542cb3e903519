// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks if the capture initramfs has the drivers of the disks that it has to mount. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_DRIVERS_H
#define NSPLIT_CMD_NSPLIT_CHECK_DRIVERS_H

#include "base/names.h"
#include "cmd/nsplit/check/findings.h"
#include "system/initramfs.h"
#include "system/kdump_system.h"

/*
 * outputs: the names of outputs; those that are commands or pipes have no disk here.  The root file system is
 * the only one that the initramfs mounts if it does not save the dump itself.
 */
void nsplit_check_drivers(struct findings *found, const char *root, const struct kdump_system *kdump,
			  const struct initramfs *initramfs, const struct names *outputs);

#endif
