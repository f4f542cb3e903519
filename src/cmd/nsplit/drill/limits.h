// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory and the CPUs that a capture would have in the capture kernel of this system. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_LIMITS_H
#define NSPLIT_CMD_NSPLIT_DRILL_LIMITS_H

#include "cmd/nsplit/crash_machine.h"

struct drill_limits {
	uint64_t memory;	/* bytes; UINT64_MAX: unknown */
	unsigned cpus;
	bool no_dump;		/* a crash would make no dump, however the capture goes; that was reported */
};

/* False: the capture kernel leaves no memory, which was reported. */
bool drill_limits_find(const struct nsplit_options *o, const struct crash_machine *machine, struct drill_limits *limits);

#endif
