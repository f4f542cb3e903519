// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory that a capture will find: in the system that captures, or, told beforehand in the
 * one that may crash, in its capture kernel.
 */
#ifndef NSPLIT_CAPTURE_AVAILABLE_H
#define NSPLIT_CAPTURE_AVAILABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/*
 * In the system that may crash: bytes of crashkernel=.  False: the kernel does not say.  (In the
 * system that captures, limits.h knows.)
 */
bool available_reserved(uint64_t *reserved);

/* Bytes of memory that this machine has, which is about what its /proc/vmcore will have. */
uint64_t available_machine_memory(void);

/*
 * What a capture kernel with few CPUs and a small initramfs leaves of the memory that was reserved
 * for it: doc/kdump.md has what was measured.  0: nothing.
 */
uint64_t available_of_reserved(uint64_t reserved);

/*
 * What of available memory a capture may plan for; the rest stays free for the page cache, for
 * what other programs take meanwhile, and for what is not counted.
 */
uint64_t available_usable(uint64_t available);

/* Of a file like /proc/iomem: bytes of System RAM; 0: it hides them, as from all but root. */
uint64_t available_ram(FILE *iomem);
/* Of a file like /proc/meminfo.  False: it does not say. */
bool available_meminfo(FILE *meminfo, uint64_t *bytes);

#endif
