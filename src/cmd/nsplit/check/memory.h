// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks if a capture fits into the memory of the capture kernel. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_MEMORY_H
#define NSPLIT_CMD_NSPLIT_CHECK_MEMORY_H

#include "capture/memory/crash_kernel.h"
#include "capture/memory/memory_limits.h"
#include "cmd/nsplit/check/findings.h"
#include "cmd/nsplit/options.h"
#include "io/sink.h"

/* What a capture may take in the capture kernel; NULL: here. */
struct limits nsplit_limits_for(const struct crash_kernel *kernel);
/* What was found; UINT64_MAX: unknown. */
struct memory_checked {
	uint64_t need;		/* bytes that the capture plans for */
	uint64_t available;	/* bytes that it may have */
	unsigned threads;	/* with which it fits */
};

/*
 * policy: what is left out; NULL: nothing.  kernel: what it reserves for the capture kernel; NULL: this
 * kernel captures.  All outputs were probed.
 */
struct memory_checked nsplit_check_memory(struct findings *found, const struct nsplit_options *o,
			 struct source *source, const struct sink *sinks,
			 const struct layer_policy *policy, const struct crash_kernel *kernel);

#endif
