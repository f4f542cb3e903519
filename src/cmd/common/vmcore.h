// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/vmcore, which exists only in a capture kernel. */
#ifndef NSPLIT_CMD_COMMON_VMCORE_H
#define NSPLIT_CMD_COMMON_VMCORE_H

#include <stdbool.h>

#include "io/source.h"

extern const char vmcore_name[];	/* "/proc/vmcore" */

/* True if this name is /proc/vmcore, and there is none. */
bool vmcore_absent(const char *name);

/*
 * STATUS_SYSTEM if so.  For programs that read a core: people try /proc/vmcore in the running system
 * first, so the error says where it exists and what to try.
 */
enum status vmcore_refuse_absent(const char *name, struct error *e);

/* source_open(), unless it is absent. */
enum status vmcore_open(struct source **source, const char *name, enum mmap_mode mmap,
			struct error *e);

#endif
