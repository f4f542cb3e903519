// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Emulates a disk of limited speed, for benchmarks.  A token bucket that fills only during writes:
 * a disk that was idle does not write faster afterwards, but a thread that woke up late may catch
 * up.
 */
#ifndef NSPLIT_IO_THROTTLE_H
#define NSPLIT_IO_THROTTLE_H

#include <stddef.h>
#include <stdint.h>

/* Used with one sink, and so by one thread at a time. */
struct throttle {
	double rate;		/* bytes a second, above 0 */
	double began;		/* clock_seconds() at the beginning of the current write */
	double paid;		/* when the tokens for all bytes written will exist */
	double late;		/* seconds by which the last sleep took too long */
	double later_rate;	/* 0: no change */
	double later;		/* clock_seconds() from which on it applies */
};

/* Starts with an empty bucket; rate in bytes a second, above 0. */
void throttle_start(struct throttle *t, uint64_t rate);

/* Changes the rate for writes that begin at least this many seconds from now. */
void throttle_change(struct throttle *t, double seconds, uint64_t rate);

/* Called before each write. */
void throttle_begin(struct throttle *t);
/* Called after each write: waits until the emulated disk would have written the bytes. */
void throttle_take(struct throttle *t, size_t bytes);

#endif
