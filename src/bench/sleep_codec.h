// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A codec that sleeps where others compute: "sleep:NANOSECONDS" for each block of 4 KiB, on average.
 *
 * A thread that sleeps takes no CPU, so a machine with few CPUs shows how many threads the engine can keep
 * busy.  The times vary as those of LZO do on the memory of a kernel: of the chunks of a core of Linux 6.1
 * with 289 MB, 40 % took a thirtieth of the mean, because most of their blocks were zeros, and the others up to
 * 3.6 times the mean (a loop over its blocks with lzo1x_1_compress(), 2026-11-25).  Its output has
 * a third of the length of the block and cannot be read back.
 */
#ifndef NSPLIT_BENCH_SLEEP_CODEC_H
#define NSPLIT_BENCH_SLEEP_CODEC_H

#include <stdbool.h>

#include "codec/presets.h"

/* Is this "sleep", perhaps with a level? */
bool sleep_codec_named(const char *text);
/* STATUS_USAGE: the level is wrong. */
enum status sleep_codec_find(const char *text, struct presets *presets, struct error *e);

extern const struct codec codec_sleep;

#endif
