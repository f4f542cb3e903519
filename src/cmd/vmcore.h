// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/vmcore, which exists only in a capture kernel. */
#ifndef NSPLIT_CMD_VMCORE_H
#define NSPLIT_CMD_VMCORE_H

#include <stdbool.h>

#include "io/source_open.h"

extern const char vmcore_name[];	/* "/proc/vmcore" */

/* Whether the source is /proc/vmcore by this name, and source_open() failed since there is none. */
bool vmcore_absent(const char *name, enum status status, const struct error *e);

/*
 * source_open() for programs that read a core.  People try /proc/vmcore in the running system first;
 * the error then says where it exists and what to try.
 */
enum status vmcore_open(struct source **source, const char *name, enum mmap_mode mmap,
			struct error *e);

#endif
