// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits the memory that the process gets from the kernel. */
#ifndef NSPLIT_TESTS_FAULTS_MEMORY_LIMIT_H
#define NSPLIT_TESTS_FAULTS_MEMORY_LIMIT_H

#include <stdint.h>

/*
 * Limits the address space of the process to its present size and spare bytes.  Memory that its
 * allocator already holds can still be used.  If the limit cannot be set, the process ends with
 * status 121.
 */
void memory_limit(uint64_t spare);

#endif
