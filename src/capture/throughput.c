// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <sys/resource.h>

#include "base/clock.h"
#include "capture/throughput.h"

/* In calls, after which what was before counts half. */
static const double RECENT = 0.25;

/* Of a call: some clocks stand still for as long. */
static const double SHORTEST = 1e-7;

/* A call that is under way for longer is not just waiting for a CPU. */
static const double LATE = 0.05;

/* Times that the calling thread waited for something but a CPU. */
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

double throughput_end(struct throughput *p, const struct throughput_call *call, double bytes)
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
	return took.real;
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
