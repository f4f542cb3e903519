// SPDX-License-Identifier: GPL-2.0-or-later
/* A process that gets no more memory from the kernel. */
#ifndef NSPLIT_TESTS_FAULTS_MEMORY_LIMIT_H
#define NSPLIT_TESTS_FAULTS_MEMORY_LIMIT_H

#include <stdint.h>

/*
 * From now on the process cannot have more address space than it has, and spare bytes.
 * What its allocator holds already it can still hand out.  A process that cannot be limited
 * ends with status 121.
 */
void memory_limit(uint64_t spare);

#endif
