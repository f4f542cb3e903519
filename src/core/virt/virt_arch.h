// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions that virt_init() calls for each architecture.  For core/virt/virt*.c only. */
#ifndef NSPLIT_CORE_VIRT_VIRT_ARCH_H
#define NSPLIT_CORE_VIRT_VIRT_ARCH_H

#include "core/virt/virt.h"

/* These fill in everything after info, which is zeros. */
void virt_x86_init(struct virt *v);
void virt_arm64_init(struct virt *v);

/* NUMBER(NAME) in VMCOREINFO, or another value if it has none. */
uint64_t virt_number_or(const struct virt *v, const char *name, uint64_t otherwise);

#endif
