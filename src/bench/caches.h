// SPDX-License-Identifier: GPL-2.0-or-later
/* Taking files out of the page cache, so that reading them reads a disk. */
#ifndef NSPLIT_BENCH_CACHES_H
#define NSPLIT_BENCH_CACHES_H

#include <stdbool.h>

/* All of it, of the whole machine; false: not allowed. */
bool caches_drop(void);

/* What is clean of one file or device; one that is not there does no harm. */
void caches_drop_file(const char *name);

#endif
