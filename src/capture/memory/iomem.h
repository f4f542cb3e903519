// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of this machine, as /proc/iomem lists it. */
#ifndef NSPLIT_CAPTURE_MEMORY_IOMEM_H
#define NSPLIT_CAPTURE_MEMORY_IOMEM_H

#include "base/range.h"

/* Ranges of physical addresses, sorted and merged; all zero at first. */
struct iomem {
	struct range_list ram;		/* all memory that the kernel uses */
	/* Reserved for the capture kernel: parts of that, which are not in /proc/vmcore. */
	struct range_list reserved;
	/* The memory without these parts. */
	struct range_list captured;
};

/*
 * Reads the file below the directory root: "" for this machine, another for tests.  False: there is no
 * such memory, as for all users but root, to whom the kernel shows zeros.  iomem_free() in any case.
 */
bool iomem_read(struct iomem *iomem, const char *root);
void iomem_free(struct iomem *iomem);

/* Bytes of a list. */
uint64_t iomem_sum(const struct range_list *list);

#endif
