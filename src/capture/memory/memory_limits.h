// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Limits: how much memory this process may still take before the kernel refuses it or kills it.
 */
#ifndef NSPLIT_CAPTURE_MEMORY_MEMORY_LIMITS_H
#define NSPLIT_CAPTURE_MEMORY_MEMORY_LIMITS_H

#include <stdint.h>

/* The bytes left, UINT64_MAX if there is no limit; and what sets the limit, as in a message. */
struct limit {
	uint64_t bytes;
	const char *what;
};

/*
 * For this process: the lowest limit of the machine, the cgroups, RLIMIT_AS and RLIMIT_DATA.  One that the kernel does
 * not report is taken as none.
 */
struct limit limit_here(void);

/*
 * The same for tests: /proc and the cgroup file systems are below the directory root, and as and
 * data are the rlimits, UINT64_MAX for none.
 */
struct limit limit_of(const char *root, uint64_t as, uint64_t data);

#endif
