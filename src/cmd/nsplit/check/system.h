// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of what this system does after a crash: whether its kdump calls nsplit, and with what. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_SYSTEM_H
#define NSPLIT_CMD_NSPLIT_CHECK_SYSTEM_H

#include <stdbool.h>

#include "capture/memory/crash_kernel.h"
#include "cmd/nsplit/check/findings.h"
#include "system/kdump_system.h"

/*
 * Secure Boot, and the lockdown that kernels of distributions switch on with it.  A locked kernel loads a
 * capture kernel only with kexec_file_load(2) (kexec -s), and only one with a valid signature, and loads no
 * unsigned module.  /proc/vmcore in the capture kernel is not restricted.
 */

enum lockdown_mode {
	LOCKDOWN_UNKNOWN,	/* a kernel without it, or securityfs is not mounted */
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
};

struct lockdown {
	enum lockdown_mode mode;
	bool secure_boot_known;
	bool secure_boot;
};

struct lockdown lockdown_of(const char *root);

/* "none", "integrity", "confidentiality", or "unknown". */
const char *lockdown_name(enum lockdown_mode mode);

/* What is looked at, and what was seen. */
struct system_checked {
	const char *root;	/* see system/rooted.h */
	const struct kdump_system *kdump;
	struct lockdown lockdown;
};

/* Checks whether the kdump system calls nsplit, and this build of it. */
void nsplit_check_caller(struct findings *found, const struct kdump_system *kdump);

/* system: root and kdump are known.  outputs: of the capture; their disks need drivers.  Sets kernel->initramfs. */
void nsplit_check_system(struct findings *found, struct system_checked *system,
			 struct crash_kernel *kernel, const struct names *outputs);

#endif
