// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine that --check-params, --estimate and --drill are about, and its capture kernel, of which all say the same. */
#ifndef NSPLIT_CMD_NSPLIT_CRASH_MACHINE_H
#define NSPLIT_CMD_NSPLIT_CRASH_MACHINE_H

#include "base/names.h"
#include "capture/memory/crash_kernel.h"

/* The directory above /proc, /sys and /etc: NSPLIT_ROOT, or "" for this machine. */
const char *crash_machine_root(void);

/* Reads what the kernel reports, and how much memory the files of the capture initramfs take.  outputs: of the capture. */
struct crash_kernel crash_machine_kernel(const char *root, const struct names *outputs);

/* How many of the CPUs that this process may use the capture kernel starts. */
unsigned crash_machine_cpus(const char *root);

/* Would a crash start the capture kernel?  What prevents it is reported. */
bool crash_machine_is_ready(const struct crash_kernel *kernel);

#endif
