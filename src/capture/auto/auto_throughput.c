// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <sys/resource.h>

#include "base/clock.h"
#include "capture/auto/auto_throughput.h"

/*
 * Seconds in calls after which earlier calls count half.  With 0.02, up to 3 % less or more was
 * stored; with 4, no difference was seen (measured as auto_choice.c says).
 */
static const double RECENT = 0.25;

/* Seconds added to each call, which may take none on a clock that advances in steps. */
static const double SHORTEST = 1e-7;

/*
 * A call in progress for more than these seconds is not merely waiting for a CPU: the time slices
 * of Linux are a few milliseconds.  With 0.005 and 1, no difference was seen.
 */
static const double LATE = 0.05;

/* How often the calling thread has waited for anything but a CPU. */
static long sleeps(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nvcsw;
}

struct throughput_call throughput_begin(void)
{
	return (struct throughput_call){
		.sleeps = sleeps(),
		.begin = clock_begin(),
	};
}

void throughput_end(struct throughput *p, const struct throughput_call *call, double bytes)
{
	struct clock_times took = clock_since(&call->begin);

	p->bytes += bytes;
	p->seconds += SHORTEST + (sleeps() == call->sleeps ? took.cpu : took.real);
	p->cpu += took.cpu;
	if (p->seconds > RECENT) {
		p->bytes /= 2;
		p->seconds /= 2;
		p->cpu /= 2;
	}
}

double throughput_rate(const struct throughput *p, double busy_seconds, double busy_bytes)
{
	double rate, late;

	if (p->bytes <= 0 || p->seconds <= 0)
		return 0;
	rate = p->bytes / p->seconds;
	late = (p->bytes + busy_bytes) / (p->seconds + busy_seconds);
	return busy_seconds > LATE && late < rate ? late : rate;
}
