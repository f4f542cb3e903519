// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Secure Boot, and the lockdown that kernels of distributions switch on with it.  A locked kernel loads a
 * capture kernel only with kexec_file_load(2) (kexec -s), and only one with a valid signature, and loads no
 * unsigned module.  /proc/vmcore in the capture kernel is not restricted.
 */
#ifndef NSPLIT_SYSTEM_LOCKDOWN_H
#define NSPLIT_SYSTEM_LOCKDOWN_H

#include <stdbool.h>

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

#endif
