// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The throughput of an output, from its latest calls.
 *
 * A call that never slept did not wait for a disk; if it waited at all, it was for a CPU.  Of such
 * a call only the CPU time counts.  Otherwise workers that keep a writer from running would make a
 * fast output look slow.
 */
#ifndef NSPLIT_CAPTURE_AUTO_AUTO_THROUGHPUT_H
#define NSPLIT_CAPTURE_AUTO_AUTO_THROUGHPUT_H

#include "base/clock.h"

/* Of the latest calls; all zero: nothing is known. */
struct throughput {
	double bytes, seconds;
	double cpu;			/* seconds */
};

/* A call that is being measured, by the thread that makes it. */
struct throughput_call {
	struct clock_times begin;
	long sleeps;			/* of the thread, before the call */
};

struct throughput_call throughput_begin(void);
/* The call has ended and took this number of bytes. */
void throughput_end(struct throughput *p, const struct throughput_call *call, double bytes);

/*
 * Bytes a second, 0 if not known.  busy_seconds and busy_bytes are those of a call in progress, 0
 * and 0 if there is none: a call that takes longer than expected counts before it ends.
 */
double throughput_rate(const struct throughput *p, double busy_seconds, double busy_bytes);

#endif
