// SPDX-License-Identifier: GPL-2.0-or-later
/* Clocks for rates and durations.  Times are in seconds. */
#ifndef NSPLIT_BASE_CLOCK_H
#define NSPLIT_BASE_CLOCK_H

#include <errno.h>
#include <time.h>

/* Monotonic: not affected by changes of the system time. */
static inline double clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Converts a time of clock_seconds(), for calls that wait until a given time. */
static inline struct timespec clock_timespec(double seconds)
{
	struct timespec t = { .tv_sec = (time_t)seconds };

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	return t;
}

/* Sleeps until clock_seconds() is when. */
static inline void clock_sleep_until(double when)
{
	struct timespec t = clock_timespec(when);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* CPU time of the calling thread. */
static inline double clock_thread_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What a difference of two such times has too much, because reading the clock takes time itself. */
static inline double clock_thread_cost(void)
{
	double least = 1;

	for (int i = 0; i < 16; i++) {
		double began = clock_thread_seconds(), took = clock_thread_seconds() - began;

		least = took < least ? took : least;
	}
	return least;
}

/* Seconds of both clocks: when a thread began something, or how long that took. */
struct clock_times {
	double real, cpu;
};

/* The CPU clock is read inside the interval of the other, so that cpu does not exceed real. */
static inline struct clock_times clock_begin(void)
{
	struct clock_times t = { .real = clock_seconds() };

	t.cpu = clock_thread_seconds();
	return t;
}

static inline struct clock_times clock_since(const struct clock_times *begin)
{
	struct clock_times t = { .cpu = clock_thread_seconds() - begin->cpu };

	t.real = clock_seconds() - begin->real;
	return t;
}

#endif
