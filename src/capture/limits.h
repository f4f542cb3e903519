// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Limits: how much memory this process may still take before the kernel refuses it or kills it.
 */
#ifndef NSPLIT_CAPTURE_LIMITS_H
#define NSPLIT_CAPTURE_LIMITS_H

#include <stdint.h>

/* Bytes that are left, and what sets this limit, as a message names it; UINT64_MAX: no limit. */
struct limit {
	uint64_t bytes;
	const char *what;
};

struct limits {
	struct limit memory;		/* that becomes resident: of the machine, of the cgroups */
	struct limit addresses;		/* that is mapped: RLIMIT_AS, RLIMIT_DATA */
};

/* For this process.  What the kernel does not tell is taken for no limit. */
struct limits limits_here(void);

/*
 * The same for a made-up process: /proc and the cgroup file systems are looked for below the
 * directory root, and as and data are its rlimits, UINT64_MAX: none.
 */
struct limits limits_of(const char *root, uint64_t as, uint64_t data);

#endif
