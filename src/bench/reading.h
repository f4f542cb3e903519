// SPDX-License-Identifier: GPL-2.0-or-later
/* A set that was captured, read back: all of it, and at random. */
#ifndef NSPLIT_BENCH_READING_H
#define NSPLIT_BENCH_READING_H

#include "base/names.h"
#include "bench/activity.h"
#include "bench/measure.h"
#include "bench/targets.h"

enum { RANDOM_READ = 4096 };

/*
 * As njoin --verify does (join NULL), or as njoin -o: the set is opened and walked by so many threads,
 * and all of it must be there.  *seconds is what it took.
 */
enum status reading_walk(const struct names *members, unsigned threads, struct target *join,
			 bool force, struct activity *activity, double *seconds,
			 struct error *e);

/*
 * Reads RANDOM_READ bytes count times, in one thread, at places that depend on the seed alone;
 * adds the seconds of each.  What opening the set takes is not in them.  Forgetful: what is about to be
 * read is taken out of the page cache first.
 */
enum status reading_random(const struct names *members, unsigned count, uint64_t seed,
			   bool forgetful, struct activity *activity, struct samples *latency,
			   struct error *e);

#endif
