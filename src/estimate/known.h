// SPDX-License-Identifier: GPL-2.0-or-later
/* How much pages are packed to, of machines whose memory cannot be read: what was measured on others. */
#ifndef NSPLIT_ESTIMATE_KNOWN_H
#define NSPLIT_ESTIMATE_KNOWN_H

#include "estimate/content.h"
#include "estimate/page_word.h"

/*
 * Stored bytes for each byte of pages.  Of the kernel and its memory map, the figures are those of
 * doc/benchmarks.md, section 12.  What processes and files hold differs from machine to machine; usually it is
 * packed to between a quarter and a half.
 */
double known_share(enum content content, enum packing packing, enum codec_id codec);

/*
 * The same of the kernel's pages, of which more is known if they were counted by the kernel's words.  map: how many of
 * those that are reserved hold the memory map, which is another content.  cpu_free: how many of those without a mark
 * are free, in the list of a CPU.
 */
double known_kernel_share(const uint64_t words[WORDS], uint64_t map, uint64_t cpu_free, enum packing packing,
			  enum codec_id codec);

#endif
