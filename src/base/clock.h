// SPDX-License-Identifier: GPL-2.0-or-later
/* Time that only goes forward, for rates and durations. */
#ifndef NSPLIT_BASE_CLOCK_H
#define NSPLIT_BASE_CLOCK_H

#include <time.h>

static inline double clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A time that clock_seconds() may give, for calls that wait until then. */
static inline struct timespec clock_timespec(double seconds)
{
	struct timespec t = { .tv_sec = (time_t)seconds };

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	return t;
}

/* Of a CPU, that the calling thread has had. */
static inline double clock_thread_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
