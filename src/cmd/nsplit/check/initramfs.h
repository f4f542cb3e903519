// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the capture initramfs: nsplit in it, its libraries, its configuration, and drivers. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_INITRAMFS_H
#define NSPLIT_CMD_NSPLIT_CHECK_INITRAMFS_H

#include "base/names.h"
#include "cmd/nsplit/check/findings.h"
#include "system/kdump_system.h"

/*
 * outputs: names of files and devices that the capture writes to, with the directory of the kdump system.
 * Returns the bytes that the files of the initramfs take in memory while it saves the dump; 0: unknown, or it
 * does not save the dump.
 */
uint64_t nsplit_check_initramfs(struct findings *found, const char *root, const struct kdump_system *kdump,
				const struct names *outputs);

#endif
