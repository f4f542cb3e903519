// SPDX-License-Identifier: GPL-2.0-or-later
/* What a drill captures in place of /proc/vmcore. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_SOURCE_H
#define NSPLIT_CMD_NSPLIT_DRILL_SOURCE_H

#include "cmd/nsplit/options.h"

/* Bytes of a core for outputs that have to be sent elsewhere. */
enum { DRILL_SMALL = 16 << 20 };

/* How many bytes a crash of this machine is expected to keep, before they are compressed. */
uint64_t drill_expected_size(const struct nsplit_options *o);

/*
 * A core of that size, made up in memory, of which only 64 MiB are used.  They belong to this process, whichever
 * process reads them.
 */
enum status drill_make_core(struct source **source, uint64_t size, struct error *e);

/* Opens /proc/fakevmcore.  False: the module is not loaded. */
bool drill_open_module(struct source **source, enum mmap_mode mmap);

#endif
