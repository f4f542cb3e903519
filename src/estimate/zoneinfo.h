// SPDX-License-Identifier: GPL-2.0-or-later
/* Free pages in the lists of single CPUs, which have no mark of their own in /proc/kpageflags. */
#ifndef NSPLIT_ESTIMATE_ZONEINFO_H
#define NSPLIT_ESTIMATE_ZONEINFO_H

#include <stdint.h>

/* Their number, from /proc/zoneinfo below root; 0 if it cannot be read. */
uint64_t zoneinfo_cpu_free(const char *root);

#endif
