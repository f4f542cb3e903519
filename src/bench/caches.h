// SPDX-License-Identifier: GPL-2.0-or-later
/* Removing files from the page cache, so that they are read from the disk. */
#ifndef NSPLIT_BENCH_CACHES_H
#define NSPLIT_BENCH_CACHES_H

#include <stdbool.h>

/* True if caches_drop() is permitted.  Drops nothing. */
bool caches_can_drop(void);

/* Drops the page cache of the whole machine.  False: nothing was dropped. */
bool caches_drop(void);

/* Drops the clean pages of one file or device, if it exists. */
void caches_drop_file(const char *name);

#endif
