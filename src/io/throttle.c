// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/clock.h"
#include "io/throttle.h"

/* A sleep that is longer by more than this, in seconds, is not compensated. */
static const double LATE_MAX = 0.05;

void throttle_start(struct throttle *t, uint64_t rate)
{
	*t = (struct throttle){ .rate = (double)rate, .paid = clock_seconds() };
}

void throttle_change(struct throttle *t, double seconds, uint64_t rate)
{
	t->later = clock_seconds() + seconds;
	t->later_rate = (double)rate;
}

void throttle_begin(struct throttle *t)
{
	t->began = clock_seconds();
	if (t->later_rate > 0 && t->began >= t->later) {
		t->rate = t->later_rate;
		t->later_rate = 0;
	}
}

void throttle_take(struct throttle *t, size_t bytes)
{
	double now;

	if (t->paid < t->began - t->late)
		t->paid = t->began - t->late;
	t->late = 0;
	t->paid += (double)bytes / t->rate;
	if (clock_seconds() >= t->paid)
		return;
	clock_sleep_until(t->paid);
	now = clock_seconds();
	t->late = now - t->paid < LATE_MAX ? now - t->paid : LATE_MAX;
}
