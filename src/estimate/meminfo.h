// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages by class from /proc/meminfo, which every user may read: less exact than a census. */
#ifndef NSPLIT_ESTIMATE_MEMINFO_H
#define NSPLIT_ESTIMATE_MEMINFO_H

#include "base/error.h"
#include "format/classes.h"

/*
 * Bytes of each class; what no line names is the kernel's.  total: of all memory, with what the kernel does
 * not count; 0: unknown, so that only counted memory is in the sum.  root: /proc is below it.
 */
enum status meminfo_classes(const char *root, uint64_t total, uint64_t bytes[CLASSES], struct error *e);

#endif
