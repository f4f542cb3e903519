// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pace: how fast a sink takes what it is given, from its latest calls.
 *
 * A call that never slept was not waiting for a disk but for a CPU, if for anything; of that only
 * the CPU's time counts.  Else workers that keep a writer from its CPU would make a fast sink look
 * slow.
 */
#ifndef NSPLIT_CAPTURE_THROUGHPUT_H
#define NSPLIT_CAPTURE_THROUGHPUT_H

#include "base/clock.h"

/* All zero: nothing is known. */
struct throughput {
	double bytes, seconds, cpu;
};

/* The call that the calling thread is about to make. */
struct throughput_call {
	struct clock_times begin;
	long sleeps;
};

struct throughput_call throughput_begin(void);
/* It took so many bytes.  Returns its seconds, as the clock counts them. */
double throughput_end(struct throughput *p, const struct throughput_call *call, double bytes);

/*
 * Bytes a second, 0 if that is not known; of a sink that has been busy for so many seconds with so
 * many bytes, 0 and 0: it is idle.  A call that takes longer than it should counts before it ends.
 */
double throughput_rate(const struct throughput *p, double busy_seconds, double busy_bytes);

#endif
