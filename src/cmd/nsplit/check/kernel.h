// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks if this kernel would start a capture kernel after a crash. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_KERNEL_H
#define NSPLIT_CMD_NSPLIT_CHECK_KERNEL_H

#include "capture/memory/crash_kernel.h"
#include "cmd/nsplit/check/findings.h"

void nsplit_check_kernel(struct findings *found, const struct crash_kernel *kernel);

#endif
