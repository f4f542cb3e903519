// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory available to a capture: in the capture kernel, or as predicted for it by the system
 * that may crash (--check-params).
 */
#ifndef NSPLIT_CAPTURE_MEMORY_AVAILABLE_H
#define NSPLIT_CAPTURE_MEMORY_AVAILABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* Bytes of memory of this machine, which is about the size of its /proc/vmcore. */
uint64_t available_machine_memory(void);

/*
 * Bytes of the reserved memory that a capture kernel with few CPUs and a small initramfs leaves to
 * programs, 0 if none.  doc/kdump.md has the measurements.
 */
uint64_t available_of_reserved(uint64_t reserved);

/*
 * Bytes of the available memory that a capture may plan for.  The rest stays free for the page
 * cache, for other programs, and for what the plan does not count.
 */
uint64_t available_usable(uint64_t available);

/*
 * Bytes of System RAM in a file like /proc/iomem; 0 if it hides them, as it does unless read by
 * root.
 */
uint64_t available_ram(FILE *iomem);
/* MemAvailable in a file like /proc/meminfo.  False: it has none. */
bool available_meminfo(FILE *meminfo, uint64_t *bytes);

#endif
