// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a captured set: all of it, and at random. */
#ifndef NSPLIT_BENCH_READING_H
#define NSPLIT_BENCH_READING_H

#include "base/names.h"
#include "bench/activity.h"
#include "bench/measure.h"
#include "bench/targets.h"

enum { RANDOM_READ = 4096 };

/*
 * Opens and reads a set, which must be complete, as njoin --verify or njoin -o does; *seconds is
 * the time that this has taken.
 */
enum status reading_verify(const struct names *members, unsigned threads,
			   struct activity *activity, double *seconds, struct error *e);
enum status reading_join(const struct names *members, unsigned threads, struct target *target,
			 bool force, struct activity *activity, double *seconds,
			 struct error *e);

/*
 * Reads RANDOM_READ bytes count times in one thread, at offsets that depend only on the seed, and
 * adds the seconds that each read has taken, without opening the set.  uncached: removes the record
 * from the page cache before each read.  Pages that were left out do not count; if almost all are, fewer are read.
 */
enum status reading_random(const struct names *members, unsigned count, uint64_t seed,
			   bool uncached, struct activity *activity, struct samples *latency,
			   struct error *e);

#endif
