// SPDX-License-Identifier: GPL-2.0-or-later
/* How much pages are packed to, of machines whose memory cannot be read: what was measured on others. */
#ifndef NSPLIT_ESTIMATE_KNOWN_H
#define NSPLIT_ESTIMATE_KNOWN_H

#include <stdbool.h>

#include "estimate/content.h"
#include "estimate/page_word.h"

/*
 * Stored bytes for each byte of pages.  Of the kernel and its memory map, the figures are those of
 * doc/benchmarks.md, section 12.  What processes and files hold differs from machine to machine; usually it is
 * packed to between a quarter and a half.
 */
double known_share(enum content content, enum packing packing, enum codec_id codec);

/* The kernel's pages, of which more is known if they were counted by the kernel's words. */
struct known_kernel {
	const uint64_t *words;		/* WORDS numbers of pages */
	uint64_t map;			/* of those that are reserved, pages of the memory map, which is another content */
	uint64_t cpu_free;		/* of those without a mark, free ones in the lists of CPUs */
	bool later;			/* Linux 6.2 or later */
};

/* The same of these. */
double known_kernel_share(const struct known_kernel *kernel, enum packing packing, enum codec_id codec);

/* Is the running kernel Linux 6.2 or later?  If /proc/sys/kernel/osrelease below root does not say, it is. */
bool known_kernel_is_later(const char *root);

#endif
